import { expect } from 'chai'
import { connect } from '../../../lib/docker/connect.ts'
import type { RegistryLogin } from '../../../lib/engine.ts'
import { Failure } from '../../../lib/errors.ts'
import { createPauses } from '../../../lib/registry/api/pause.ts'
import { pinImages } from '../../../lib/registry/pin.ts'
import type { Application } from '../../../lib/state/application/application.ts'
import type { Image, Pin } from '../../../lib/state/application/container/container.ts'
import type { DesiredState } from '../../../lib/state/application/desired.ts'
import type { ResolutionStore } from '../../../lib/state/image/resolutions.ts'
import { identity } from '../../support/builders/builders.ts'
import { removeImagesOf } from '../../support/engine/clean-up.ts'
import { engineCall, engineGet } from '../../support/engine/engine-call.ts'
import { failureOf } from '../../support/failures/failure-of.ts'
import { hostPlatform, pushImage, pushIndex } from '../../support/images/images.ts'
import { type Registry, type RegistryAuth, startRegistry } from '../../support/images/registry.ts'
import { runningSocket, uniqueName } from '../../support/suite/env.ts'
import { serve } from './serve.ts'

const { signal } = new AbortController()
const socket = runningSocket()
const login = { username: 'robot', password: 'open sesame' }
const otherDigest = `sha256:${'0'.repeat(64)}`

describe('pinImages', () => {
  it('D5 pins a tag to the digest the registry says, an index to that of the index', async () => {
    await using registry = await ownRegistry()
    const web = await pushImage(registry, 'team/web', '1')
    const shop = await pushIndex(registry, 'team/shop', '1')
    const { state } = await pin([image(web.reference), image(shop.reference)])
    expect(pins(state)).to.deep.equal([
      { state: 'pinned', digest: web.digest },
      { state: 'pinned', digest: shop.indexDigest },
    ])
    expect(state.warnings).to.deep.equal([])
  })

  for (const format of ['docker', 'oci'] as const) {
    it(`D5, G9 matches the digest of an index and of a platform's manifest in it (${format})`, async () => {
      await using registry = await ownRegistry()
      const { reference, indexDigest, platformDigest } = await pushIndex(registry, 'team/web', '1', {
        format,
      })
      const { state } = await pin([image(reference, indexDigest), image(reference, platformDigest)])
      expect(pins(state)).to.deep.equal([
        { state: 'pinned', digest: indexDigest },
        { state: 'pinned', digest: platformDigest },
      ])
    })
  }

  it('D5, D15 refuses a tag that leads to another digest, and blocks its application only', async () => {
    await using registry = await ownRegistry()
    const web = await pushImage(registry, 'team/web', '1')
    const desired = desiredOf([
      application('shop', 'web', [image(web.reference, otherDigest)]),
      application('wiki', 'wiki', [image(web.reference, web.digest)]),
    ])
    const { state } = await pinDesired(desired)
    expect(state.applications.map(({ name }) => name)).to.deep.equal(['wiki'])
    expect(state.blocked).to.deep.equal([
      {
        application: 'shop',
        version: '1',
        problems: [
          {
            code: 'digest-mismatch',
            message: `shop/web: ${web.reference}: ${otherDigest} is required, but the registry has ${web.digest}`,
          },
        ],
      },
    ])
  })

  it('G9 sees a tag that moved', async () => {
    await using registry = await ownRegistry()
    const before = await pushImage(registry, 'team/web', '1')
    const after = await pushImage(registry, 'team/web', '1', { env: { MOVED: 'yes' } })
    const { state } = await pin([image(before.reference, before.digest)])
    expect(codes(state)).to.deep.equal(['digest-mismatch'])
    expect(after.digest).to.not.equal(before.digest)
  })

  it('D15 blocks an application whose image does not exist', async () => {
    await using registry = await ownRegistry()
    const { state } = await pin([image(`${registry.host}/team/nothing:1`)])
    expect(codes(state)).to.deep.equal(['image-not-found'])
    expect(state.applications).to.deep.equal([])
  })

  for (const scheme of ['basic', 'bearer'] as const) {
    it(`E24 logs in to a registry with a ${scheme} challenge, for tags and for platforms`, async () => {
      await using registry = await ownRegistry({ scheme, ...login })
      const { reference, indexDigest, platformDigest } = await pushIndex(registry, 'team/web', '1')
      const { state } = await pin([image(reference), image(reference, platformDigest)], { login })
      expect(pins(state)).to.deep.equal([
        { state: 'pinned', digest: indexDigest },
        { state: 'pinned', digest: platformDigest },
      ])
    })

    it(`E24 blocks what a ${scheme} challenge refuses and keeps the password to itself`, async () => {
      await using registry = await ownRegistry({ scheme, ...login })
      const { reference } = await pushImage(registry, 'team/web', '1')
      const wrong = { username: 'robot', password: 'open barley' }
      const { state } = await pin([image(reference)], { login: wrong })
      expect(codes(state)).to.deep.equal(['registry-denied'])
      expect(JSON.stringify(state)).to.not.include('barley')
    })
  }

  it('G21 blocks an application when the password of its registry cannot be read', async () => {
    await using registry = await ownRegistry()
    const { reference } = await pushImage(registry, 'team/web', '1')
    const { state } = await pin([image(reference)], {
      login: new Failure('registry-credentials-unreadable', 'no such file'),
    })
    expect(codes(state)).to.deep.equal(['registry-credentials-unreadable'])
  })

  it('D5 leaves unknown what a registry that is down does not say', async () => {
    await using registry = await ownRegistry()
    const { reference, digest } = await pushImage(registry, 'team/web', '1')
    await registry.off()
    const { state } = await pin([image(reference), image(reference, digest)])
    expect(pins(state).map(one => one.state)).to.deep.equal(['unknown', 'unknown'])
    expect(state.blocked).to.deep.equal([])
    expect(state.warnings.map(({ code }) => code)).to.deep.equal([
      'registry-unreachable',
      'registry-unreachable',
    ])
  })

  it('D5 leaves unknown what a registry answers with a server error', async () => {
    await using registry = await ownRegistry()
    const { reference } = await pushImage(registry, 'team/web', '1')
    registry.fail(503)
    const { state } = await pin([image(reference)])
    expect(pins(state).map(one => one.state)).to.deep.equal(['unknown'])
  })

  it('D5 runs a demanded digest that is present while the registry is down, and says what it does not know', async () => {
    await using registry = await ownRegistry()
    const { reference, digest, pinned } = await pushImage(registry, 'team/web', '1')
    await pull(pinned)
    await registry.off()
    const { state } = await pin([image(reference, digest)])
    expect(pins(state)).to.deep.equal([{ state: 'pinned', digest }])
    expect(state.warnings.map(({ code }) => code)).to.deep.equal(['tag-unverified'])
  })

  it('G21 asks no registry for a demanded digest that the engine pulled by this tag', async () => {
    await using registry = await ownRegistry()
    const { reference, digest } = await pushImage(registry, 'team/web', '1')
    await pull(reference)
    registry.forgetRequests()
    const { state } = await pin([image(reference, digest)])
    expect(pins(state)).to.deep.equal([{ state: 'pinned', digest }])
    expect(registry.requests).to.deep.equal([])
  })

  it('G21 asks no registry for a pair that was verified, whatever the commit', async () => {
    await using registry = await ownRegistry()
    const { reference, platformDigest } = await pushIndex(registry, 'team/web', '1')
    const resolutions = memory()
    await pin([image(reference, platformDigest)], { resolutions })
    registry.forgetRequests()
    const { state } = await pin([image(reference, platformDigest)], { resolutions, commit: 'next' })
    expect(pins(state)).to.deep.equal([{ state: 'pinned', digest: platformDigest }])
    expect(registry.requests).to.deep.equal([])
  })

  it('G3 resolves the tag of an image that the operator names once, whatever is committed', async () => {
    await using registry = await ownRegistry()
    const resolutions = memory()
    const before = await pushImage(registry, 'team/sandbox', 'stable', { env: { V: '1' } })
    const configured = { ...image(before.reference), configuredIn: 'sandbox' } as const
    await pin([configured], { resolutions, commit: 'one' })
    const after = await pushImage(registry, 'team/sandbox', 'stable', { env: { V: '2' } })
    const { state } = await pin([configured, image(before.reference)], { resolutions, commit: 'two' })
    expect(pins(state)).to.deep.equal([
      { state: 'pinned', digest: before.digest },
      { state: 'pinned', digest: after.digest },
    ])
  })

  for (const section of ['sandbox', 'ingress', 'metadata'] as const)
    it(`D5 D15 names the section of tallyman.yaml of an image that cannot be resolved: ${section}`, async () => {
      await using registry = await ownRegistry()
      const configured = { ...image(`${registry.host}/team/nothing:1`), configuredIn: section } as const
      const names = `; "${section}: {image: …}" in tallyman.yaml names this image`
      const hint = `Make the image available where its registry is asked, or name another one with "${section}: {image: …}" in tallyman.yaml.`
      const { state: refused } = await pin([configured])
      const [problem] = refused.blocked.flatMap(({ problems }) => problems)
      expect(problem?.message)
        .to.match(/nothing:1/)
        .and.satisfy((text: string) => text.endsWith(names))
      expect(problem?.hint).to.equal(hint)
      await registry.off()
      const { state: silent } = await pin([configured])
      const [unknown] = pins(silent)
      const [warning] = silent.warnings
      expect(unknown?.state === 'unknown' && unknown.reason).to.equal(warning?.message)
      expect(warning?.message).to.satisfy((text: string) => text.endsWith(names))
      expect(warning?.hint).to.equal(hint)
    })

  it('X9 resolves a tag once for a commit, and again for the next', async () => {
    await using registry = await ownRegistry()
    const before = await pushImage(registry, 'team/web', '1')
    const resolutions = memory()
    await pin([image(before.reference)], { resolutions, commit: 'one' })
    const after = await pushImage(registry, 'team/web', '1', { env: { MOVED: 'yes' } })
    const same = await pin([image(before.reference)], { resolutions, commit: 'one' })
    const next = await pin([image(before.reference)], { resolutions, commit: 'two' })
    expect(pins(same.state)).to.deep.equal([{ state: 'pinned', digest: before.digest }])
    expect(pins(next.state)).to.deep.equal([{ state: 'pinned', digest: after.digest }])
  })

  it('E26 calls an image that the registry does not know unverified', async () => {
    await using registry = await ownRegistry()
    const { reference, id, digest } = await pushImage(registry, 'team/web', '1')
    await pull(reference)
    const local = `${registry.host}/team/${uniqueName('local')}:1`
    await tag(reference, local)
    const { state } = await pin([image(local)])
    const [pinned, ...others] = pins(state)
    // With containerd's image store the digest is the id.
    expect(pinned).to.have.property('imageId').oneOf([id, digest])
    expect([pinned?.state, others]).to.deep.equal(['unverified', []])
    expect(state.warnings.map(({ code }) => code)).to.deep.equal(['image-unverified'])
  })

  it('E26 does not take an image without a repository digest for the digest that is demanded', async function () {
    await using registry = await ownRegistry()
    const { reference, digest } = await pushImage(registry, 'team/web', '1')
    await pull(reference)
    const local = `${registry.host}/team/${uniqueName('local')}:1`
    await tag(reference, local)
    // With containerd's image store there is no such image.
    if ((await idOf(local)) === digest) return this.skip()
    const { state } = await pin([image(local, digest)])
    expect(codes(state)).to.deep.equal(['image-not-found'])
  })

  for (const format of ['docker', 'oci'] as const)
    it(`D5, G9 pins a platform to its own manifest, whichever digest is demanded (${format})`, async () => {
      await using registry = await ownRegistry()
      const { reference, indexDigest, platforms } = await pushIndex(registry, 'team/web', '1', { format })
      const [own, other] = [platforms[hostPlatform] ?? '', platforms['linux/s390x'] ?? '']
      const { state } = await pin([
        image(reference),
        { ...image(reference), platform: hostPlatform },
        { ...image(reference), platform: 'linux/s390x' },
        { ...image(reference, indexDigest), platform: 'linux/s390x' },
        { ...image(reference, other), platform: 'linux/s390x' },
      ])
      expect(pins(state)).to.deep.equal([
        { state: 'pinned', digest: indexDigest },
        { state: 'pinned', digest: own },
        { state: 'pinned', digest: other },
        { state: 'pinned', digest: other },
        { state: 'pinned', digest: other },
      ])
    })

  it('G9 takes an image that is no index for the platform that it says of itself', async () => {
    await using registry = await ownRegistry()
    const { reference, digest } = await pushImage(registry, 'team/web', '1')
    const { state } = await pin([{ ...image(reference), platform: hostPlatform }])
    expect(pins(state)).to.deep.equal([{ state: 'pinned', digest }])
  })

  it('D5, D15 refuses a platform that an image is not for, and says which there are', async () => {
    await using registry = await ownRegistry()
    const web = await pushImage(registry, 'team/web', '1')
    const shop = await pushIndex(registry, 'team/shop', '1', {
      platforms: ['linux/amd64', 'linux/arm64', 'unknown/unknown'],
    })
    const own = shop.platforms['linux/amd64'] ?? ''
    const problems = await Promise.all(
      [image(web.reference), image(shop.reference), image(shop.reference, own)].map(async one => {
        const { state } = await pin([{ ...one, platform: 'linux/s390x' }])
        return state.blocked.flatMap(({ problems }) =>
          problems.map(({ code, message }) => `${code} ${message.replace(/^.*\/team\//, '')}`),
        )
      }),
    )
    expect(problems).to.deep.equal([
      [`image-not-found web:1: is not for linux/s390x, but for ${hostPlatform}`],
      ['image-not-found shop:1: is not for linux/s390x, but for linux/amd64, linux/arm64'],
      ['image-not-found shop:1: is not for linux/s390x, but for linux/amd64'],
    ])
    const { state } = await pin([{ ...image(shop.reference, otherDigest), platform: 'linux/amd64' }])
    expect(codes(state)).to.deep.equal(['digest-mismatch'])
  })

  it('D5 knows nothing of a platform while its registry is down, and asks no registry for what it knows', async () => {
    await using registry = await ownRegistry()
    const { reference, platforms } = await pushIndex(registry, 'team/web', '1')
    await pull(reference)
    const resolutions = memory()
    const wanted = { ...image(reference), platform: 'linux/s390x' }
    await pin([wanted], { resolutions })
    await registry.off()
    const { state: known } = await pin([wanted], { resolutions })
    expect(pins(known)).to.deep.equal([{ state: 'pinned', digest: platforms['linux/s390x'] }])
    const { state } = await pin([image(reference), { ...image(reference), platform: hostPlatform }], {
      resolutions,
    })
    expect(pins(state).map(pin => pin.state)).to.deep.equal(['unknown', 'unknown'])
  })

  it('E26 runs an image that only the engine has if it is of that platform', async () => {
    await using registry = await ownRegistry()
    const { reference } = await pushImage(registry, 'team/web', '1')
    await pull(reference)
    const local = `${registry.host}/team/${uniqueName('local')}:1`
    await tag(reference, local)
    const { state } = await pin([{ ...image(local), platform: hostPlatform }])
    expect(pins(state).map(pin => pin.state)).to.deep.equal(['unverified'])
    const { state: other } = await pin([{ ...image(local), platform: 'linux/s390x' }])
    expect(codes(other)).to.deep.equal(['image-not-found'])
  })

  it('D5 resolves an image once, however many containers run it', async () => {
    await using registry = await ownRegistry()
    const { reference } = await pushImage(registry, 'team/web', '1')
    await pin([image(reference), image(reference), image(reference)])
    const asked = registry.requests.filter(({ path }) => path.includes('/manifests/1'))
    const once = registry.requests.length
    registry.forgetRequests()
    await pin([image(reference)])
    expect(asked.length).to.be.greaterThan(0)
    expect(registry.requests.length).to.equal(once)
  })

  it('G21 leaves a registry that has enough of us alone for as long as it says', async () => {
    await using server = await serve({
      '/v2/team/web/manifests/1': {
        status: 429,
        headers: { 'retry-after': '90', 'content-type': 'application/json' },
        body: '{"errors": [{"code": "TOOMANYREQUESTS", "message": "slow down"}]}',
      },
      '/v2/': {},
    })
    let nowMs = 0
    const pauses = createPauses(() => nowMs)
    const limited = await pin([image(`${server.host}/team/web:1`)], { pauses })
    expect(pins(limited.state)).to.deep.equal([
      {
        state: 'unknown',
        reason: `${server.host}/team/web: the registry refuses further requests for now (HTTP 429); tallyman asks again in 90 s`,
      },
    ])
    const before = server.requests
    nowMs = 89_000
    await pin([image(`${server.host}/team/web:1`)], { pauses })
    expect(server.requests).to.equal(before)
    nowMs = 90_000
    await pin([image(`${server.host}/team/web:1`)], { pauses })
    expect(server.requests).to.be.greaterThan(before)
  })

  it('G21 gives a registry that does not answer up for the rest of the pass', async () => {
    await using registry = await ownRegistry()
    registry.fail(503)
    const images = Array.from({ length: 40 }, (_, n) => image(`${registry.host}/team/web:${n}`))
    await pin(images)
    const asked = new Set(
      registry.requests.map(({ path }) => path).filter(path => path.includes('/manifests/')),
    )
    expect(asked.size).to.be.within(0, 10)
  })

  it('D5 fails as a whole when the engine does not answer', async () => {
    const desired = desiredOf([application('shop', 'web', [image('127.0.0.1:1/team/web:1')])])
    const engine = connect(
      { name: 'gone', endpoint: 'unix:///nonexistent/docker.sock' },
      async () => undefined,
    )
    const failure = await failureOf(
      pinImages(
        desired,
        { engine, resolutions: memory(), login: async () => undefined, commit: 'c' },
        signal,
      ),
    )
    expect(failure.code).to.equal('engine-unreachable')
  })
})

/** A registry that takes the images pulled from it along. */
async function ownRegistry(auth?: RegistryAuth): Promise<Registry> {
  const registry = await startRegistry(auth === undefined ? {} : { auth })
  return {
    ...registry,
    [Symbol.asyncDispose]: async () => {
      await removeImagesOf(socket, registry.host)
      await registry.stop()
    },
  }
}

type Given = {
  readonly login?: RegistryLogin | Failure
  readonly resolutions?: ResolutionStore
  readonly commit?: string
  readonly pauses?: ReturnType<typeof createPauses>
}

function pin(images: readonly Image[], given: Given = {}): Promise<{ readonly state: DesiredState }> {
  return pinDesired(desiredOf([application('shop', 'web', images)]), given)
}

async function pinDesired(
  desired: DesiredState,
  { login: given, resolutions = memory(), commit = 'commit', pauses }: Given = {},
): Promise<{ readonly state: DesiredState }> {
  const read = async () => {
    if (given instanceof Failure) throw given
    return given
  }
  const engine = connect({ name: 'local', endpoint: `unix://${socket}` }, read)
  const context = { engine, resolutions, login: read, commit, ...(pauses === undefined ? {} : { pauses }) }
  return { state: await pinImages(desired, context, signal) }
}

function image(reference: string, expectedDigest?: string): Image {
  const pin: Pin = { state: 'unknown', reason: 'not resolved yet' }
  return expectedDigest === undefined ? { reference, pin } : { reference, expectedDigest, pin }
}

function application(name: string, service: string, images: readonly Image[]): Application {
  return {
    name,
    requires: [],
    services: [
      {
        name: service,
        strategy: { type: 'auto', maxSurge: 1, maxUnavailable: 0, healthyMs: 0, timeoutMs: 1_000 },
        instances: images.map(one => ({
          containers: [{ name: service, image: one, restart: { name: 'no' }, stopGraceMs: 1_000 }],
          network: { name: 'test' },
          volumes: [],
        })),
      },
    ],
  }
}

function desiredOf(applications: readonly Application[]): DesiredState {
  return {
    ...identity('test'),
    revision: { ref: 'main', commit: 'commit', author: '', subject: '', time: '2026-01-01T00:00:00Z' },
    skipConfirmation: false,
    applications,
    blocked: [],
    warnings: [],
  }
}

function pins(state: DesiredState): readonly Pin[] {
  return state.applications
    .flatMap(({ services }) => services)
    .flatMap(({ instances }) => instances)
    .flatMap(({ containers }) => containers)
    .map(container => container.image.pin)
}

function codes(state: DesiredState): readonly string[] {
  return state.blocked.flatMap(({ problems }) => problems).map(({ code }) => code)
}

function memory(): ResolutionStore {
  const entries = new Map<string, string>()
  const key = (reference: string, commit: string, expected?: string) =>
    expected === undefined ? `${reference} in ${commit}` : `${reference} is ${expected}`
  return {
    find: ({ reference, expected, commit }) => entries.get(key(reference, commit, expected)),
    remember: ({ reference, expected, commit, digest }) => {
      entries.set(key(reference, commit, expected), digest)
    },
  }
}

async function pull(reference: string): Promise<void> {
  await ok('POST', `/images/create?fromImage=${encodeURIComponent(reference)}`)
}

async function tag(reference: string, as: string): Promise<void> {
  const colon = as.lastIndexOf(':')
  await ok('POST', `/images/${reference}/tag?repo=${as.slice(0, colon)}&tag=${as.slice(colon + 1)}`)
}

async function idOf(name: string): Promise<string> {
  return Object(await engineGet(socket, `/images/${name}/json`)).Id
}

async function ok(method: 'POST', path: string): Promise<void> {
  const { status, body } = await engineCall(socket, method, path)
  if (status >= 300 || body.includes('"error"')) throw new Error(`${path}: ${status} ${body.toString()}`)
}
