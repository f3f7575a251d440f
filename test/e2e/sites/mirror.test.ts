import { createServer, request } from 'node:http'
import { expect } from 'chai'
import { containersOf, createScene, inspect, type Scene } from '../../scenes/scene.ts'
import { startSecondEngine } from '../../support/engine/dockerd.ts'
import { pushImage } from '../../support/images/images.ts'
import { type Registry, startRegistry } from '../../support/images/registry.ts'
import { close, listen } from '../../support/network/listen.ts'
import { uniqueName } from '../../support/suite/env.ts'

/** What a mirror gives for a digest: that manifest if it has it, or whatever its tag leads to. */
type Gives = 'what is asked for' | 'what its tag leads to'

type Mirror = AsyncDisposable & {
  readonly url: string
  /** What it has. */
  readonly registry: Registry
  gives: Gives
  /** Whether it answers what a tag means, or says nothing to that. */
  tellsTags: boolean
}

async function startMirror(): Promise<Mirror> {
  await using stack = new AsyncDisposableStack()
  const registry = stack.use(await startRegistry())
  const settings: Pick<Mirror, 'gives' | 'tellsTags'> = { gives: 'what is asked for', tellsTags: true }
  const server = createServer((incoming, answer) => {
    const { method = 'GET', headers, url: asked = '' } = incoming
    if (!settings.tellsTags && /\/manifests\/[^:]*$/.test(asked)) return
    const isAsked = settings.gives === 'what is asked for'
    const path = isAsked ? asked : asked.replace(/manifests\/sha256:.*/, 'manifests/1')
    const forwarded = request(`${registry.url}${path}`, { method, headers }, said => {
      const { 'docker-content-digest': _, ...others } = said.headers
      answer.writeHead(said.statusCode ?? 502, path === asked ? said.headers : others)
      said.pipe(answer)
    })
    incoming.pipe(forwarded)
  })
  const port = await listen(server)
  stack.defer(() => close(server))
  const parts = stack.move()
  return Object.assign(settings, {
    url: `http://127.0.0.1:${port}`,
    registry,
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  })
}

/**
 * Two engines that pull from Docker Hub through a mirror each. Docker Hub itself is not reached from here. Engines use
 * mirrors for Docker Hub alone.
 */
type Fleet = AsyncDisposable & Readonly<Record<Site, { readonly mirror: Mirror; readonly socket: string }>>

type Site = 'fresh' | 'stale'

async function startFleet(): Promise<Fleet> {
  await using stack = new AsyncDisposableStack()
  const start = async () => {
    const mirror = stack.use(await startMirror())
    const { socket } = stack.use(await startSecondEngine([`--registry-mirror=${mirror.url}`]))
    return { mirror, socket }
  }
  const [fresh, stale] = await Promise.all([start(), start()])
  const parts = stack.move()
  return { fresh, stale, [Symbol.asyncDispose]: () => parts.disposeAsync() }
}

const now = { env: { CONTENT: 'now' } }
const before = { env: { CONTENT: 'before' } }

describe('a site whose mirror of Docker Hub does not know what a tag means by now', () => {
  let started: Promise<Fleet> | undefined
  after(async () => (await started)?.[Symbol.asyncDispose]())

  /**
   * An image with a name of its own, and an environment on both sites that runs it. The first one is asked for tags. If
   * it takes longer than five seconds, so is the second one, which must not be the first to answer.
   */
  async function scene(first: Site, second: Site) {
    started ??= startFleet()
    const fleet = await started
    fleet[first].mirror.tellsTags = true
    fleet[second].mirror.tellsTags = false
    const name = uniqueName('web')
    const sites = [first, second].map(site => ({ name: site, endpoint: `unix://${fleet[site].socket}` }))
    const own = await createScene({ commands: 'here', config: { sites } })
    const containers = [{ dockerName: `docker.io/library/${name}`, dockerTag: '1' }]
    await own.commit({ services: [{ name: 'web', containers }] })
    return {
      push: (site: Site, options: typeof now) =>
        pushImage(fleet[site].mirror.registry, `library/${name}`, '1', options),
      give: (what: Gives) => {
        fleet.stale.mirror.gives = what
      },
      apply: () => own.tallyman.run('apply', '--yes'),
      runs: async () => ({
        fresh: await contentOn(own, fleet.fresh.socket),
        stale: await contentOn(own, fleet.stale.socket),
      }),
      [Symbol.asyncDispose]: () => own[Symbol.asyncDispose](),
    }
  }

  it('X9 E26 runs what the tag means for the others, if its mirror has that by its digest', async () => {
    await using at = await scene('fresh', 'stale')
    const { digest } = await at.push('fresh', now)
    await at.push('stale', now)
    await at.push('stale', before)
    const { code, stderr } = await at.apply()
    expect(code, stderr).to.equal(0)
    const same = { content: 'now', digest }
    expect(await at.runs()).to.deep.equal({ fresh: [same], stale: [same] })
  })

  it('X9 G17 runs nothing else while its mirror does not have that, and follows once it does', async () => {
    await using at = await scene('fresh', 'stale')
    const { digest } = await at.push('fresh', now)
    await at.push('stale', before)
    const { code, stderr } = await at.apply()
    expect(code).to.equal(1)
    expect(stderr).to.include(`stale: docker.io/library/`).and.to.include(digest)
    const same = { content: 'now', digest }
    expect(await at.runs()).to.deep.equal({ fresh: [same], stale: [] })
    await at.push('stale', now)
    const caughtUp = await at.apply()
    expect(caughtUp.code, caughtUp.stderr).to.equal(0)
    expect(await at.runs()).to.deep.equal({ fresh: [same], stale: [same] })
  })

  it('X9 E26 runs nothing else if its mirror gives something else for the digest', async () => {
    await using at = await scene('fresh', 'stale')
    const { digest } = await at.push('fresh', now)
    await at.push('stale', before)
    at.give('what its tag leads to')
    const { code } = await at.apply().finally(() => at.give('what is asked for'))
    expect(code).to.equal(1)
    expect(await at.runs()).to.deep.equal({ fresh: [{ content: 'now', digest }], stale: [] })
  })

  it('X9 decides for all if it is asked for the tag: they run what it said, or nothing', async () => {
    await using at = await scene('stale', 'fresh')
    await at.push('fresh', now)
    const { digest } = await at.push('stale', before)
    expect((await at.apply()).code).to.equal(1)
    const same = { content: 'before', digest }
    expect(await at.runs()).to.deep.equal({ fresh: [], stale: [same] })
    await at.push('fresh', before)
    await at.push('fresh', now)
    const caughtUp = await at.apply()
    expect(caughtUp.code, caughtUp.stderr).to.equal(0)
    expect(await at.runs()).to.deep.equal({ fresh: [same], stale: [same] })
  })
})

/** What the containers of the environment on an engine run: what the image says of itself, and its digest. */
async function contentOn({ environment }: Scene, socket: string) {
  const found = await containersOf(socket, environment)
  return Promise.all(
    found.map(async ({ id, state }) => {
      const { Config } = await inspect(socket, id)
      const [, content] = Config.Env.map(one => one.split('=')).find(([key]) => key === 'CONTENT') ?? []
      const digest = Config.Image.slice(Config.Image.indexOf('@') + 1)
      return { content, digest, ...(state === 'running' ? {} : { state }) }
    }),
  )
}
