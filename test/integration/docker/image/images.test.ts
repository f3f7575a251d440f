import { createServer } from 'node:http'
import { expect } from 'chai'
import { connect } from '../../../../lib/docker/connect.ts'
import type { RegistryLogin } from '../../../../lib/engine.ts'
import { identity } from '../../../support/builders/builders.ts'
import { cleanUp, removeImages, removeImagesOf } from '../../../support/engine/clean-up.ts'
import { engineCall } from '../../../support/engine/engine-call.ts'
import { forEachEngine, type TestedEngine } from '../../../support/engine/for-each-engine.ts'
import { failureOf } from '../../../support/failures/failure-of.ts'
import { hostPlatform, pushImage, pushIndex } from '../../../support/images/images.ts'
import { type RegistryAuth, startRegistry } from '../../../support/images/registry.ts'
import { close, listen } from '../../../support/network/listen.ts'
import { runningSocket, uniqueName } from '../../../support/suite/env.ts'

const { signal } = new AbortController()
const provenance = { ...identity('images'), commit: 'c0ffee' }

/** A registry of the test's own, the engine, and the images of the registry removed at the end. */
async function machine(options: { auth?: RegistryAuth; login?: RegistryLogin } = {}) {
  const socket = runningSocket()
  const registry = await startRegistry(options.auth === undefined ? {} : { auth: options.auth })
  const asked: string[] = []
  const login = async (host: string) => {
    asked.push(host)
    return options.login
  }
  return {
    registry,
    asked,
    engine: connect({ name: 'local', endpoint: `unix://${socket}` }, login),
    [Symbol.asyncDispose]: async () => {
      await removeImagesOf(socket, registry.host)
      await registry.stop()
    },
  }
}

/** An engine with a repository of images that no other test uses; its images are removed at the end. */
async function ownImages(tested: () => Promise<TestedEngine>) {
  const { socket, registry, push } = await tested()
  const name = uniqueName('images')
  const repository = `${registry.host}/${name}`
  return {
    ...{ socket, name, repository },
    push: () => push(name, '1'),
    engine: connect({ name: 'local', endpoint: `unix://${socket}` }, async () => undefined),
    [Symbol.asyncDispose]: async () => {
      await cleanUp(socket, name).now()
      for (const one of [repository, `${repository}/mine`]) await removeImages(socket, one)
    },
  }
}

/** A registry that answers every question for a manifest the same, and an engine to ask it. */
async function failingRegistry(status: number, error: string | undefined) {
  const server = createServer((request, response) => {
    if (request.url === '/v2/') return response.writeHead(200).end('{}')
    const body = error === undefined ? '' : JSON.stringify({ errors: [{ code: error, message: 'no' }] })
    return response.writeHead(status, { 'content-type': 'application/json' }).end(body)
  })
  const port = await listen(server)
  return {
    host: `127.0.0.1:${port}`,
    engine: connect({ name: 'local', endpoint: `unix://${runningSocket()}` }, async () => undefined),
    [Symbol.asyncDispose]: () => close(server),
  }
}

const foreign = 'linux/s390x'

forEachEngine('images', tested => {
  it('E26 knows what a tag means, and pulls exactly that', async () => {
    await using at = await ownImages(tested)
    const image = await at.push()
    expect(await at.engine.distribution(image.reference, signal)).to.deep.equal({
      digest: image.digest,
      mediaType: 'application/vnd.docker.distribution.manifest.v2+json',
    })
    const pull = { do: 'pull-image', reference: image.reference, digest: image.digest } as const
    await at.engine.execute(pull, provenance, signal)
    const { id, declared, ...names } = { id: '', ...(await at.engine.localImage(image.pinned, signal)) }
    expect(names).to.deep.equal({ repoTags: [], repoDigests: [image.pinned], platform: hostPlatform })
    expect(declared).to.deep.include({ env: ['PATH=/bin'], ports: [], volumes: [], user: '' })
    // With containerd's image store the digest is the id.
    expect(id).to.be.oneOf([image.id, image.digest])
  })

  it('A6 removes an image by its digest, and is content when it is gone', async () => {
    await using at = await ownImages(tested)
    const { reference, digest, pinned } = await at.push()
    await at.engine.execute({ do: 'pull-image', reference, digest }, provenance, signal)
    expect(await at.engine.images(signal)).to.include(pinned)
    for (const _ of ['once', 'twice'])
      await at.engine.execute({ do: 'remove-image', reference, digest }, provenance, signal)
    expect(await at.engine.images(signal)).to.not.include(pinned)
    expect(await at.engine.localImage(pinned, signal)).to.equal(undefined)
  })

  it('G10 leaves an image alone that a container uses, and says so', async () => {
    await using at = await ownImages(tested)
    const { reference, digest, pinned } = await at.push()
    await at.engine.execute({ do: 'pull-image', reference, digest }, provenance, signal)
    const Labels = { 'tallyman.environment': at.name }
    await engineCall(at.socket, 'POST', '/containers/create', { Image: pinned, Labels })
    const remove = { do: 'remove-image', reference, digest } as const
    const ended = await at.engine.execute(remove, provenance, signal)
    expect(ended?.skipped).to.match(
      /^left alone: conflict: .* container [0-9a-f]+ is using its referenced image/,
    )
    expect(await at.engine.localImage(pinned, signal)).to.not.equal(undefined)
  })

  it("G10 takes an image with a tag for somebody else's", async () => {
    await using at = await ownImages(tested)
    const { reference, digest, pinned } = await at.push()
    await at.engine.execute({ do: 'pull-image', reference, digest }, provenance, signal)
    const tag = `/images/${pinned}/tag?repo=${encodeURIComponent(`${at.repository}/mine`)}&tag=1`
    await engineCall(at.socket, 'POST', tag)
    expect(await at.engine.images(signal)).to.not.include(pinned)
  })

  it('has no image it never pulled', async () => {
    await using at = await ownImages(tested)
    expect(await at.engine.localImage(`${at.repository}:1`, signal)).to.equal(undefined)
  })

  it('E26 says image-not-found for a tag and for a digest nobody pushed', async () => {
    await using at = await ownImages(tested)
    const { reference } = await at.push()
    const digest = `sha256:${'0'.repeat(64)}`
    const asked = await failureOf(at.engine.distribution(`${at.repository}:2`, signal))
    const pulled = await failureOf(
      at.engine.execute({ do: 'pull-image', reference, digest }, provenance, signal),
    )
    expect([asked.code, pulled.code]).to.deep.equal(['image-not-found', 'image-not-found'])
  })
})

describe('images through a real engine and registry', () => {
  it('G21 asks no registry for an image that is present by its digest', async () => {
    await using at = await machine()
    const image = await pushImage(at.registry, 'team/web', '1')
    const pull = { do: 'pull-image', reference: image.reference, digest: image.digest } as const
    await at.engine.execute(pull, provenance, signal)
    at.registry.forgetRequests()
    await at.engine.execute(pull, provenance, signal)
    expect(at.registry.requests).to.deep.equal([])
    expect(at.asked).to.deep.equal([at.registry.host])
  })

  it('D5 pulls by the digest of an index', async () => {
    await using at = await machine()
    const index = await pushIndex(at.registry, 'team/web', '1')
    const pull = { do: 'pull-image', reference: index.reference, digest: index.indexDigest } as const
    await at.engine.execute(pull, provenance, signal)
    const present = await at.engine.localImage(`${at.registry.host}/team/web@${index.indexDigest}`, signal)
    expect(present?.id).to.be.oneOf([index.id, index.indexDigest])
  })

  it('G9 pulls the manifest of another platform by its digest', async () => {
    await using at = await machine()
    const { reference, platforms } = await pushIndex(at.registry, 'team/web', '1', {
      platforms: [hostPlatform, foreign],
    })
    const digest = platforms[foreign] ?? ''
    await at.engine.execute({ do: 'pull-image', reference, digest }, provenance, signal)
    const pinned = `${at.registry.host}/team/web@${digest}`
    expect(await at.engine.localImage(pinned, signal)).to.include({ platform: foreign })
  })

  for (const scheme of ['basic', 'bearer'] as const) {
    it(`G21 logs in to a registry that wants it (${scheme})`, async () => {
      const login = { username: 'ci', password: 'hunter22' }
      await using at = await machine({ auth: { scheme, ...login }, login })
      const image = await pushImage(at.registry, 'team/web', '1')
      const { digest } = await at.engine.distribution(image.reference, signal)
      const pull = { do: 'pull-image', reference: image.reference, digest } as const
      await at.engine.execute(pull, provenance, signal)
      expect(at.asked).to.deep.equal([at.registry.host, at.registry.host])
    })

    it(`G16 says registry-denied without a login, and nothing of it with a wrong one (${scheme})`, async () => {
      const auth = { scheme, username: 'ci', password: 'hunter22' }
      for (const login of [undefined, { username: 'ci', password: 'swordfish' }]) {
        await using at = await machine(login === undefined ? { auth } : { auth, login })
        const { reference, digest } = await pushImage(at.registry, 'team/web', '1')
        const pull = { do: 'pull-image', reference, digest } as const
        const failures = [
          await failureOf(at.engine.distribution(reference, signal)),
          await failureOf(at.engine.execute(pull, provenance, signal)),
        ]
        expect(failures.map(({ code }) => code)).to.deep.equal(['registry-denied', 'registry-denied'])
        expect(failures.map(({ message }) => message).join()).not.to.match(/swordfish|hunter22/)
      }
    })
  }

  it('E26 says registry-unreachable when it is down', async () => {
    await using at = await machine()
    const { reference, digest } = await pushImage(at.registry, 'team/web', '1')
    await at.registry.off()
    const asked = await failureOf(at.engine.distribution(reference, signal))
    const pulled = await failureOf(
      at.engine.execute({ do: 'pull-image', reference, digest }, provenance, signal),
    )
    await at.registry.on()
    expect([asked.code, pulled.code]).to.deep.equal(['registry-unreachable', 'registry-unreachable'])
  })

  for (const [status, error, code] of [
    [401, 'UNAUTHORIZED', 'registry-denied'],
    [403, 'DENIED', 'registry-denied'],
    [403, undefined, 'registry-denied'],
    [404, 'NAME_UNKNOWN', 'image-not-found'],
    [429, 'TOOMANYREQUESTS', 'registry-rate-limited'],
    [429, undefined, 'registry-rate-limited'],
    [500, undefined, 'registry-unreachable'],
    [502, undefined, 'registry-unreachable'],
    [503, 'UNAVAILABLE', 'registry-unreachable'],
  ] as const) {
    it(`E26 says ${code} when the registry answers ${status} ${error ?? 'without a word'}`, async () => {
      await using at = await failingRegistry(status, error)
      const asked = await failureOf(at.engine.distribution(`${at.host}/team/web:1`, signal))
      const digest = `sha256:${'0'.repeat(64)}`
      const pull = { do: 'pull-image', reference: `${at.host}/team/web:1`, digest } as const
      const pulled = await failureOf(at.engine.execute(pull, provenance, signal))
      expect([asked.code, pulled.code], `${asked.message}\n${pulled.message}`).to.deep.equal([code, code])
    })
  }
})
