import { mock } from 'node:test'
import { Failure } from '../../../../lib/errors.ts'
import type { Journal } from '../../../../lib/journal/journal.ts'
import type { DeploymentTurn } from '../../../../lib/reconcile/fleet/turns.ts'
import type { Files } from '../../../support/builders/snapshot.ts'
import {
  everyImage,
  type MemoryDaemon,
  manifestOf,
  memoryDaemon,
} from '../../../support/memory/memory-daemon.ts'
import { type MemoryEngine, memoryEngine } from '../../../support/memory/memory-engine.ts'
import { memoryJournal } from '../../../support/memory/memory-journal.ts'
import { untilSo } from '../../../support/time/until-so.ts'

/** A repository with one application on all sites, so many at a time, with so long a healthy time; or on all at once. */
export function filesOf(version: string, inParallel?: number, healthyTime = '0s'): Files {
  const byBatches = `deploy-to-sites: {sites-in-parallel: ${inParallel}, healthy-time: ${healthyTime}}`
  return {
    ...manifestOf('prod', { shop: version }, { skipConfirmation: true }),
    'deployments/shop.yaml': [
      'name: shop',
      'application: shop',
      'placement: {all-sites: true}',
      ...(inParallel === undefined ? [] : [byBatches]),
    ].join('\n'),
  }
}

/** A daemon over as many sites as a test likes, with engines in memory. No time passes unless `setTimeout` is told so. */
export class ManySites implements AsyncDisposable {
  readonly names: readonly string[]
  /** The sites whose engines do not answer. */
  silent: ReadonlySet<string> = new Set()
  /** The sites on which the next container that is started crashes. */
  readonly failing = new Set<string>()
  /** Whether no image can be pulled. */
  areImagesAway = false
  /** How often each site was asked which engine it is, or what it runs. */
  readonly asked = new Map<string, number>()
  /** How often the deployments were brought on. */
  advances = 0
  private nowMs = 1_000_000
  private daemon!: MemoryDaemon

  private constructor(names: readonly string[]) {
    this.names = names
  }

  static async start(count: number, files: Files): Promise<ManySites> {
    const many = new ManySites(Array.from({ length: count }, (_, index) => `site-${index + 1}`))
    many.daemon = await memoryDaemon({
      environments: ['prod'],
      files,
      engines: many.names.map(site => many.engineOn(site)),
      journal: many.counting(memoryJournal()),
      config: { sites: many.names.map(name => ({ name, endpoint: `unix:///run/${name}.sock` })) },
      clock: { nowMs: () => many.nowMs, steadyMs: () => many.nowMs },
    })
    return many
  }

  private engineOn(site: string): MemoryEngine {
    const engine = memoryEngine({ site, distribution: everyImage })
    const ask = () => {
      this.asked.set(site, (this.asked.get(site) ?? 0) + 1)
      if (this.silent.has(site)) throw new Failure('engine-unreachable', `${site}: nobody answers`)
    }
    return {
      ...engine,
      info: async (...asked) => {
        ask()
        return engine.info(...asked)
      },
      observe: async (...asked) => {
        ask()
        return engine.observe(...asked)
      },
      execute: async (...asked) => {
        if (asked[0].do === 'pull-image' && this.areImagesAway)
          throw new Failure('pull-failed', `${site}: the registry is silent`)
        if (asked[0].do === 'await-healthy' && this.failing.delete(site))
          throw new Failure('exited-early', `${site}: exited with code 1`)
        return engine.execute(...asked)
      },
    }
  }

  /** Each time that deployments are brought on, it is noted what they keep from each site. */
  private counting(kept: Journal): Journal {
    return {
      ...kept,
      setObstacles: (...asked) => {
        this.advances += 1
        return kept.setObstacles(...asked)
      },
    }
  }

  commit(files: Files): void {
    this.daemon.commit(files)
  }

  say(word: string, given: Readonly<Record<string, string>>): Promise<unknown> {
    return this.daemon.ask(`POST /api/v1/${word}`, given)
  }

  /** Looks at the repository, and at all sites with what was found. */
  async look(): Promise<void> {
    const [running] = this.daemon.control.running
    const look = running?.loop.request('command') ?? 0
    await untilSo(() => running?.loop.isSettled(look) === true)
  }

  /** Why what waits on a site does so, as the last pass over it found. */
  heldOn(site: string): readonly (string | undefined)[] {
    const last = this.daemon.control.running[0]?.loop.sites().get(site)?.last
    return (last?.plan?.changes ?? []).map(({ held }) => held?.code)
  }

  /** Where the deployment stands, once there is one. */
  run(): DeploymentTurn['run'] {
    return this.daemon.control.running[0]?.world.memory.fleet.turns.all()[0]?.run
  }

  /** What the run of a version waits for, once that is one of these things. */
  async waitsFor(version: string, ...what: readonly string[]): Promise<string> {
    const wait = () => {
      const run = this.run()
      return run?.of.version === version && what.includes(run.stand.wait.for) ? run.stand.wait.for : undefined
    }
    await untilSo(() => wait() !== undefined)
    await this.rest()
    return wait() ?? ''
  }

  /** Lets everything go on that is left to be done without time passing. */
  async rest(): Promise<void> {
    let turns = 0
    await untilSo(() => {
      turns += 1
      return turns > 20 + 2 * this.names.length
    })
  }

  /** Lets so much time pass. */
  async wait(ms: number): Promise<void> {
    this.nowMs += ms
    mock.timers.tick(ms)
    await this.rest()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.daemon[Symbol.asyncDispose]()
  }
}
