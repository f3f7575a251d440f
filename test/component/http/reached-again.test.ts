import { expect } from 'chai'
import type { Engine } from '../../../lib/engine.ts'
import { Failure } from '../../../lib/errors.ts'
import type { ApplicationStatus } from '../../../lib/reconcile/status/application/application-status.ts'
import type { SiteDocument } from '../../../lib/reconcile/status/site/site-document.ts'
import {
  everyImage,
  type MemoryDaemon,
  manifestOf,
  memoryDaemon,
} from '../../support/memory/memory-daemon.ts'
import { memoryEngine } from '../../support/memory/memory-engine.ts'
import { unlessItHangs } from '../../support/time/hangs.ts'

describe('a site that answers again, while a pass over it runs', () => {
  it('G13 is not said to be unreachable, nor why, nor when it is tried next', async () => {
    await using scene = await upgraded(['east', 'west'])
    const before = await scene.seen()
    expect(before).to.deep.equal({
      unreachable: ['west: its key is another one'],
      errors: [],
      web: 'the site does not answer',
      api: 'the site does not answer',
      deployment: 'the site does not answer',
      site: 'unreachable: west: its key is another one',
    })
    await scene.heal()
    const now = await scene.seen()
    expect(now).to.deep.equal({
      unreachable: [],
      errors: [],
      web: 'the rollout of version 2 has begun; the version and the health shown are from before it',
      api: '',
      deployment: 'the rollout of version 2 has begun; the version and the health shown are from before it',
      site: 'reachable',
    })
  })

  it('G13 is no error of the environment any more if that has no other site', async () => {
    await using scene = await upgraded(['west'])
    expect((await scene.seen()).errors).to.deep.equal(['west: its key is another one'])
    await scene.heal()
    expect(await scene.seen()).to.deep.include({
      errors: [],
      web: 'the rollout of version 2 has begun; the version and the health shown are from before it',
      site: 'reachable',
    })
  })

  it('G13 is said to be unreachable again if it is lost once more', async () => {
    await using scene = await upgraded(['east', 'west'])
    await scene.heal()
    await scene.lose()
    expect(await scene.seen()).to.deep.include({
      unreachable: ['west: no answer'],
      site: 'unreachable: west: no answer',
    })
  })
})

describe('a site that was never reached before', () => {
  it('G13 is reachable as soon as the first pass over it has seen it', async () => {
    const scene = begin(['west'])
    const waits = scene.holdNext()
    await using daemon = await scene.daemon()
    await waits
    expect((await daemon.ask('GET /api/v1/sites'))[0]).to.include({ name: 'west', state: 'reachable' })
  })
})

const key = new Failure('engine-host-changed', 'west: its key is another one')
const gone = new Failure('engine-unreachable', 'west: no answer')

/** Version 1 of `web` runs on all of these sites; then `west` could not be reached any more, and 2 came. */
async function upgraded(sites: readonly string[]) {
  const scene = begin(sites)
  const daemon = await scene.daemon()
  for (let count = 0; count < 2; count += 1) await daemon.pass()
  scene.west.isSilent = true
  daemon.commit(files('2'))
  await daemon.pass()
  const [running] = daemon.control.running
  return {
    seen: () => seenIn(daemon),
    /** Resolves once a pass waits for the health of 2 on `west`. */
    async heal() {
      scene.west.isSilent = false
      const waits = scene.holdNext()
      running?.loop.request('command')
      await waits
    },
    /** Loses the site in the middle of that, and resolves once the pass has ended. */
    async lose() {
      const before = running?.ends.count() ?? 0
      scene.west.isSilent = true
      scene.west.held?.reject(gone)
      await running?.ends.until(() => running.ends.count() > before, unlessItHangs())
    },
    [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose](),
  }
}

/** What is said of `west`, by everything that says something of it. */
async function seenIn(daemon: MemoryDaemon) {
  const [status] = await daemon.ask('GET /api/v1/environments')
  const { unreachable = [], errors, applications, deployments = [] } = status
  const sites: readonly SiteDocument[] = await daemon.ask('GET /api/v1/sites')
  const west = sites.find(({ name }) => name === 'west')
  const isWest = ({ site }: { readonly site: string }) => site === 'west'
  const reasonOf = (name: string) =>
    applications.find((one: ApplicationStatus) => isWest(one) && one.application === name)?.reason
  const message = (one: { readonly message: string }) => one.message
  return {
    unreachable: unreachable.map(message),
    errors: errors.map(message),
    web: reasonOf('web'),
    api: reasonOf('api'),
    deployment: deployments[0]?.left.find(isWest)?.reason,
    site: [west?.state, west?.error?.message].filter(part => part !== undefined).join(': '),
  }
}

const files = (version: string) => ({
  ...manifestOf('prod', { web: version, api: '1' }, { skipConfirmation: true }),
  'deployments/web-everywhere.yaml': 'name: web-everywhere\napplication: web\nplacement: {all-sites: true}\n',
})

/** Engines in memory, of which that of `west` can be silent, and can leave open for how long a container is awaited. */
function begin(sites: readonly string[]) {
  const west: { isSilent: boolean; held?: PromiseWithResolvers<void>; onHeld?: () => void } = {
    isSilent: false,
  }
  const engines = sites.map((site): Engine => {
    const engine = memoryEngine({ site, distribution: everyImage })
    if (site !== 'west') return engine
    return {
      ...engine,
      observe: (...given) => (west.isSilent ? Promise.reject(key) : engine.observe(...given)),
      async execute(step, more, signal, note) {
        if (step.do === 'await-healthy' && west.held !== undefined) {
          signal.addEventListener('abort', () => west.held?.resolve(), { once: true })
          west.onHeld?.()
          await west.held.promise
        }
        return engine.execute(step, more, signal, note)
      },
    }
  })
  return {
    west,
    /** Resolves once a container is awaited on `west`. */
    holdNext() {
      const waits = Promise.withResolvers<void>()
      Object.assign(west, { held: Promise.withResolvers<void>(), onHeld: waits.resolve })
      return waits.promise
    },
    daemon: () =>
      memoryDaemon({
        files: files('1'),
        engines,
        config: { sites: sites.map(name => ({ name, endpoint: `unix:///run/${name}.sock` })) },
      }),
  }
}
