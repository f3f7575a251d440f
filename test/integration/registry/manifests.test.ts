import { expect } from 'chai'
import { imageDeclaration, platformManifests, retryAfter } from '../../../lib/registry/api/manifests.ts'
import { failureOf } from '../../support/failures/failure-of.ts'
import { hostPlatform, pushImage, pushIndex } from '../../support/images/images.ts'
import { startRegistry } from '../../support/images/registry.ts'
import { serve } from './serve.ts'

const { signal } = new AbortController()
const login = { username: 'robot', password: 'open sesame' }
const wrong = { username: 'robot', password: 'open barley' }

describe('platformManifests', () => {
  for (const format of ['docker', 'oci'] as const) {
    it(`G9 lists the platforms of an index in the ${format} format`, async () => {
      await using registry = await startRegistry()
      const { indexDigest, platforms } = await pushIndex(registry, 'team/web', '1', {
        format,
        platforms: ['linux/amd64', 'linux/s390x', 'unknown/unknown'],
      })
      const found = await platformManifests(place(registry.host), indexDigest, undefined, signal)
      expect(found).to.deep.equal([
        { digest: platforms['linux/amd64'], platform: 'linux/amd64' },
        { digest: platforms['linux/s390x'], platform: 'linux/s390x' },
      ])
    })
  }

  it('G9 finds in an image that is no index the platform that it says of itself', async () => {
    await using registry = await startRegistry()
    const { digest } = await pushImage(registry, 'team/web', '1')
    expect(await platformManifests(place(registry.host), digest, undefined, signal)).to.deep.equal([
      { digest, platform: hostPlatform },
    ])
  })

  it('C56 is told what an image says of itself, of an index for the platform that is meant', async () => {
    await using registry = await startRegistry()
    const image = {
      cmd: ['serve'],
      exposedPorts: ['21/tcp'],
      volumes: ['/data'],
      user: '7',
      workingDir: '/srv',
    }
    const { digest } = await pushImage(registry, 'team/web', '1', image)
    const said = await imageDeclaration(place(registry.host), digest, 'linux/s390x', undefined, signal)
    expect(said).to.deep.include({
      command: ['serve'],
      user: '7',
      workingDir: '/srv',
      ports: [{ port: 21, protocol: 'tcp' }],
      volumes: ['/data'],
      platform: hostPlatform,
    })
    const platforms = ['linux/amd64', 'linux/s390x']
    const { indexDigest } = await pushIndex(registry, 'team/web', '2', { platforms })
    const platformOf = async (platform: string) =>
      (await imageDeclaration(place(registry.host), indexDigest, platform, undefined, signal))?.platform
    expect(await platformOf('linux/s390x')).to.equal('linux/s390x')
    expect(await platformOf('linux/arm64'), 'the first one').to.equal('linux/amd64')
  })

  for (const scheme of ['basic', 'bearer'] as const) {
    it(`E24 answers a ${scheme} challenge with the login`, async () => {
      await using registry = await startRegistry({ auth: { scheme, ...login } })
      const { indexDigest, platforms } = await pushIndex(registry, 'team/web', '1')
      const found = await platformManifests(place(registry.host), indexDigest, login, signal)
      expect(found.map(({ digest }) => digest)).to.deep.equal(Object.values(platforms))
    })

    it(`E24 says that a wrong login is refused to a ${scheme} challenge, without the password`, async () => {
      await using registry = await startRegistry({ auth: { scheme, ...login } })
      const { indexDigest } = await pushIndex(registry, 'team/web', '1')
      const failure = await failureOf(platformManifests(place(registry.host), indexDigest, wrong, signal))
      expect(failure.code).to.equal('registry-denied')
      expect(failure.message).to.include(registry.host).and.not.include('barley')
    })

    it(`E24 is denied without a login where a ${scheme} challenge asks for one`, async () => {
      await using registry = await startRegistry({ auth: { scheme, ...login } })
      const { indexDigest } = await pushIndex(registry, 'team/web', '1')
      const failure = await failureOf(platformManifests(place(registry.host), indexDigest, undefined, signal))
      expect(failure.code).to.equal('registry-denied')
    })
  }

  it('D5 says so when the registry has no such manifest', async () => {
    await using registry = await startRegistry()
    const digest = `sha256:${'0'.repeat(64)}`
    const failure = await failureOf(platformManifests(place(registry.host), digest, undefined, signal))
    expect(failure.code).to.equal('image-not-found')
    expect(failure.message).to.equal(`${registry.host}/team/web@${digest}: the registry has no such manifest`)
  })

  it('D5 takes a registry that is down for one that does not answer', async () => {
    await using registry = await startRegistry()
    const { indexDigest } = await pushIndex(registry, 'team/web', '1')
    await registry.off()
    const failure = await failureOf(platformManifests(place(registry.host), indexDigest, undefined, signal))
    expect(failure.code).to.equal('registry-unreachable')
    expect(failure.retry).to.equal('backoff')
  })

  it('D5 takes a server error for no answer', async () => {
    await using registry = await startRegistry()
    const { indexDigest } = await pushIndex(registry, 'team/web', '1')
    registry.fail(503)
    const failure = await failureOf(platformManifests(place(registry.host), indexDigest, undefined, signal))
    expect(failure.code).to.equal('registry-unreachable')
    expect(failure.message).to.equal(
      `${registry.host}/team/web@${indexDigest}: the registry answers with HTTP 503`,
    )
  })

  it('D5 refuses another document than the digest names', async () => {
    await using server = await serve({ '/v2/team/web/manifests/': { body: '{"manifests": []}' } })
    const digest = `sha256:${'0'.repeat(64)}`
    const failure = await failureOf(platformManifests(place(server.host), digest, undefined, signal))
    expect(failure.code).to.equal('registry-unreachable')
    expect(failure.message).to.include("the registry's answer does not match the digest")
  })

  it('G24 stops reading an answer without end', async () => {
    await using server = await serve({ '/v2/team/web/manifests/': { body: 'x'.repeat(5 * 1024 * 1024) } })
    const failure = await failureOf(
      platformManifests(place(server.host), `sha256:${'0'.repeat(64)}`, undefined, signal),
    )
    expect(failure.message).to.equal(`${server.host}: the answer is larger than 4194304 bytes`)
  })

  it('E24 follows a redirect to another host and keeps the credentials from it', async () => {
    await using registry = await startRegistry()
    const { indexDigest, platforms } = await pushIndex(registry, 'team/web', '1')
    await using server = await serve({
      '/v2/team/web/manifests/': { status: 401, headers: { 'www-authenticate': 'Basic realm="r"' } },
      authorized: {
        status: 307,
        headers: { location: `${registry.url}/v2/team/web/manifests/${indexDigest}` },
      },
    })
    const found = await platformManifests(place(server.host), indexDigest, login, signal)
    expect(found.map(({ digest }) => digest)).to.deep.equal(Object.values(platforms))
    expect(server.authorized).to.equal(1)
    expect(registry.requests.map(({ status }) => status)).to.deep.equal([200])
  })

  it('G24 gives up on redirects in a circle', async () => {
    await using server = await serve({
      '/v2/team/web/manifests/': { status: 302, headers: { location: '/v2/team/web/manifests/again' } },
    })
    const failure = await failureOf(
      platformManifests(place(server.host), `sha256:${'0'.repeat(64)}`, undefined, signal),
    )
    expect(failure.message).to.equal(`${server.host}: too many redirects`)
  })

  const tokenFrom = (host: string) => ({
    '/v2/team/web/manifests/': {
      status: 401,
      headers: { 'www-authenticate': `Bearer realm="http://${host}/token"` },
    },
  })

  it('E24 G16 takes no password to a host that only the registry names, and says how to allow it', async () => {
    await using tokens = await serve({ '/token': { body: '{"token": "abc"}' } })
    await using server = await serve(tokenFrom(tokens.host))
    const asked = platformManifests(place(server.host), `sha256:${'0'.repeat(64)}`, login, signal)
    const { code, message, hint } = await failureOf(asked)
    expect({ code, message, hint }).to.deep.equal({
      code: 'registry-denied',
      message: `${server.host}: asks for its login to be sent to ${tokens.host}`,
      hint: `If you trust ${tokens.host} with the login, add "tokenHost: ${tokens.host}" to ${server.host} under "registries" in the configuration.`,
    })
    expect(tokens.requests).to.equal(0)
    const named = { ...login, tokenHost: tokens.host }
    await failureOf(platformManifests(place(server.host), `sha256:${'0'.repeat(64)}`, named, signal))
    expect([tokens.requests, tokens.authorized]).to.deep.equal([1, 1])
  })

  it('E24 takes no password to a token service over plain HTTP, whoever named it', async () => {
    await using server = await serve(tokenFrom('tokens.example.com'))
    const named = { ...login, tokenHost: 'tokens.example.com' }
    const asked = platformManifests(place(server.host), `sha256:${'0'.repeat(64)}`, named, signal)
    const failure = await failureOf(asked)
    expect(failure.code).to.equal('registry-denied')
    expect(failure.message).to.equal('tokens.example.com: credentials are not sent over plain HTTP')
  })

  it('D5 takes a token service that answers nonsense for no answer', async () => {
    await using server = await serve({
      '/v2/team/web/manifests/': {
        status: 401,
        headers: host => ({ 'www-authenticate': `Bearer realm="http://${host}/token"` }),
      },
      '/token': { body: '<html>' },
    })
    const failure = await failureOf(
      platformManifests(place(server.host), `sha256:${'0'.repeat(64)}`, undefined, signal),
    )
    expect(failure.code).to.equal('registry-unreachable')
    expect(failure.message).to.equal(`${server.host}: the answer holds no token`)
  })

  it('D5 stops when it is told to, and does not call that a failure of the registry', async () => {
    await using registry = await startRegistry()
    const reason = new Error('superseded')
    const outcome = await platformManifests(
      place(registry.host),
      `sha256:${'0'.repeat(64)}`,
      undefined,
      AbortSignal.abort(reason),
    ).catch((error: unknown) => error)
    expect(outcome).to.equal(reason)
  })
})

describe('retryAfter', () => {
  it('G21 learns from the registry when to ask again', async () => {
    await using registry = await startRegistry()
    registry.fail(429, { 'retry-after': '90' })
    const limited = await retryAfter({ ...place(registry.host), tag: '1' }, undefined, signal)
    expect(limited?.retryAfterMs).to.equal(90_000)
    expect(limited?.code).to.equal('registry-rate-limited')
    expect(limited?.message).to.equal(
      `${registry.host}/team/web: the registry refuses further requests for now (HTTP 429); tallyman asks again in 90 s`,
    )
  })

  it('G21 learns nothing from a registry that does not say, answers again, or is down', async () => {
    await using registry = await startRegistry()
    await pushImage(registry, 'team/web', '1')
    const ask = () => retryAfter({ ...place(registry.host), tag: '1' }, undefined, signal)
    expect(await ask()).to.equal(undefined)
    registry.fail(429)
    expect(await ask()).to.equal(undefined)
    await registry.off()
    expect(await ask()).to.equal(undefined)
  })
})

function place(host: string): { host: string; repository: string } {
  return { host, repository: 'team/web' }
}
