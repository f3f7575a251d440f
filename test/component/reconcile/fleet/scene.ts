import { Failure } from '../../../../lib/errors.ts'
import type { Source } from '../../../../lib/git/source.ts'
import type { Journal } from '../../../../lib/journal/journal.ts'
import type { Rules } from '../../../../lib/plan/hold/hold.ts'
import type { DeploymentStatus } from '../../../../lib/reconcile/status/deployment/deployment-status.ts'
import type { LiveContainer } from '../../../../lib/state/running/live.ts'
import type { SiteEntry } from '../../../support/builders/sites.ts'
import { type Files, snapshotOf } from '../../../support/builders/snapshot.ts'
import {
  everyImage,
  type MemoryDaemon,
  manifestOf,
  memoryDaemon,
} from '../../../support/memory/memory-daemon.ts'
import { type MemoryEngine, memoryEngine } from '../../../support/memory/memory-engine.ts'
import { type Backup, keptJournal } from '../../../support/memory/memory-journal.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'

export const names = ['a', 'b', 'c', 'd', 'e']
export const minute = 60_000

/** Five sites, of which `e` is no edge, and `c` tries versions first. */
export const sites = names.map(name => ({
  name,
  endpoint: `unix:///run/${name}.sock`,
  labels: {
    'system/type': name === 'e' ? 'control-tower' : 'edge',
    ...(name === 'c' ? { try: 'true' } : {}),
  },
}))

/** Two sites at a time, 15 minutes apart. */
export const rolling = 'deploy-to-sites: {sites-in-parallel: 2, healthy-time: 15m}'

/** A repository with one application on all edge sites. */
export function filesOf(
  version: string,
  strategy = rolling,
  more: object = { skipConfirmation: true },
): Files {
  return {
    ...manifestOf('prod', { shop: version }, more),
    'deployments/shop-everywhere.yaml': [
      'name: shop-everywhere',
      'application: shop',
      'placement: {match-site-labels: system/type = edge}',
      strategy,
    ].join('\n'),
  }
}

/** A daemon over five sites with engines in memory, and a clock that a test moves. */
export class Fleet implements AsyncDisposable {
  nowMs = 1_000_000
  /** How far the time of day is ahead of the steady clock; a test that changes it sets the clock. */
  aheadMs = 0
  /** The site on which the next container that is started crashes. */
  failing = ''
  /** The site on which every container that is started crashes. */
  ailing = ''
  /** The end of the images that the registry says nothing about. */
  unresolved = ''
  /** The end of the images that the registry does not have. */
  missing = ''
  /** Why nothing can be prepared on a site, by site. */
  readonly unprepared = new Map<string, Failure>()
  /** The site whose engine does not answer. */
  silent = ''
  /** The site whose engine answers, and does not do what it is asked. */
  unfit = ''
  /** Whether the first engine on which a container is awaited next answers no more from then on. */
  isVanishing = false
  /** Whether the first engine on which a container is awaited next leaves it open how that ends, until it is let go. */
  isPausing = false
  /** The site on which a container is awaited, and nobody knows how that ends. */
  paused: { readonly site: string; readonly letGo: PromiseWithResolvers<void> } | undefined
  /** What the engine of a site says of how long its containers run; by default nothing. */
  readonly uptimes = new Map<string, string>()
  /** What is to be seen of the containers of a site from now on, whatever happens to them. */
  readonly shown = new Map<string, Partial<LiveContainer>>()
  /** What the next look at a site, and only that one, shows of its containers. */
  readonly glimpsed = new Map<string, Partial<LiveContainer>>()
  /** How often each site was looked at. */
  readonly looks = new Map<string, number>()
  readonly engines = new Map<string, MemoryEngine>(names.map(site => [site, this.engineOn(site)]))
  kept = keptJournal()
  daemon!: MemoryDaemon
  files: Files = {}
  /** Whether the repository still has the commits before the newest one. */
  keepsCommits = false
  readonly past = new Map<string, Files>()
  prune: Rules['prune'] = 'auto'
  /** Heeded at the next start. */
  drift: Rules['drift'] = 'repair'
  /** Two sites, each of which leads to the engine of the other one once its endpoint is another one. */
  exchanged: readonly [string, string] | undefined
  commits = 0

  get journal(): Journal {
    return this.kept.journal
  }

  static async start(
    files: Files,
    all: readonly SiteEntry[] = sites,
    prune: Rules['prune'] = 'auto',
    keepsCommits = false,
    exchanged?: readonly [string, string],
  ): Promise<Fleet> {
    const fleet = new Fleet()
    fleet.exchanged = exchanged
    fleet.keepsCommits = keepsCommits
    fleet.prune = prune
    fleet.files = files
    fleet.daemon = await fleet.daemonWith(all)
    return fleet
  }

  private daemonWith(all: readonly SiteEntry[]): Promise<MemoryDaemon> {
    return memoryDaemon({
      environments: ['prod'],
      files: this.files,
      engines: [...this.engines.values()],
      later: this.later(),
      journal: this.journal,
      ...(this.keepsCommits ? { source: this.source() } : {}),
      config: { sites: all, prune: this.prune, drift: this.drift },
      clock: { nowMs: () => this.nowMs + this.aheadMs, steadyMs: () => this.nowMs },
    })
  }

  private later(): readonly MemoryEngine[] {
    const [one = '', other = ''] = this.exchanged ?? []
    const as = (site: string, engine: MemoryEngine | undefined): readonly MemoryEngine[] =>
      engine === undefined
        ? []
        : [{ ...engine, site, observe: async (...asked) => ({ ...(await engine.observe(...asked)), site }) }]
    return [...as(one, this.engines.get(other)), ...as(other, this.engines.get(one))]
  }

  /** Ends the daemon, and starts another one with the same journal. */
  async restart(all: readonly SiteEntry[] = sites): Promise<void> {
    await this.daemon[Symbol.asyncDispose]()
    this.daemon = await this.daemonWith(all)
  }

  /** Ends the daemon, and starts another one that has lost the state directory, or never had it. */
  async loseJournal(): Promise<void> {
    await this.daemon[Symbol.asyncDispose]()
    this.kept = keptJournal()
    this.daemon = await this.daemonWith(sites)
  }

  /** Ends the daemon, and starts another one with a backup of the state directory. */
  async restore(backup: Backup): Promise<void> {
    await this.daemon[Symbol.asyncDispose]()
    this.kept = backup.restored()
    this.daemon = await this.daemonWith(sites)
  }

  /** Starts the daemon anew with other labels of a site. */
  relabel(site: string, labels: Readonly<Record<string, string>>): Promise<void> {
    return this.restart(
      sites.map(one => (one.name === site ? { ...one, labels: { ...one.labels, ...labels } } : one)),
    )
  }

  private engineOn(site: string): MemoryEngine {
    const engine = memoryEngine({
      distribution: async (...asked) => {
        if (this.unresolved !== '' && asked[0].endsWith(this.unresolved))
          throw new Failure('registry-unreachable', 'the registry is silent')
        if (this.missing !== '' && asked[0].endsWith(this.missing))
          throw new Failure('image-not-found', 'manifest unknown')
        return everyImage(...asked)
      },
      site,
    })
    return {
      ...engine,
      observe: async (...asked) => {
        this.looks.set(site, (this.looks.get(site) ?? 0) + 1)
        if (site === this.silent) throw new Failure('engine-unreachable', `${site}: nobody answers`)
        if (site === this.unfit) throw new Failure('engine-refused', `${site}: no space left on device`)
        const live = await engine.observe(...asked)
        const status = this.uptimes.get(site)
        const glimpsed = this.glimpsed.get(site)
        this.glimpsed.delete(site)
        const more = { ...(status === undefined ? {} : { status }), ...this.shown.get(site), ...glimpsed }
        return { ...live, containers: live.containers.map(one => ({ ...one, ...more })) }
      },
      execute: async (...asked) => {
        if (this.isVanishing && asked[0].do === 'await-healthy')
          [this.isVanishing, this.silent] = [false, site]
        if (this.isPausing && asked[0].do === 'await-healthy') {
          this.isPausing = false
          this.paused = { site, letGo: Promise.withResolvers() }
        }
        if (this.paused?.site === site && asked[0].do === 'await-healthy')
          await untilAborted(this.paused.letGo.promise, asked[2])
        if (site === this.silent) throw new Failure('engine-unreachable', `${site}: nobody answers`)
        const unprepared = this.unprepared.get(site)
        if (unprepared !== undefined && asked[0].do === 'pull-image') throw unprepared
        if ([this.failing, this.ailing].includes(site) && asked[0].do === 'await-healthy') {
          this.failing = ''
          throw new Failure('exited-early', `${site}: exited with code 1`)
        }
        return engine.execute(...asked)
      },
    }
  }

  /** Takes the containers of a site away, and lets what is started there in their place crash. */
  crash(site: string): void {
    this.failing = site
    this.engines.get(site)?.lose()
  }

  /** Asks for a look at the repository, and waits for what comes of it on these sites. */
  async look(...on: readonly string[]): Promise<void> {
    const loop = this.daemon.control.running[0]?.loop
    const look = loop?.request('command') ?? 0
    await waitUntil(`a look reaches ${on}`, () => loop?.isSettled(look, on) === true)
  }

  commit(files: Files): void {
    this.past.set(this.head(), this.files)
    this.commits += 1
    this.files = files
    this.daemon.commit(files, this.head())
  }

  private head(): string {
    return String(this.commits + 1)
      .repeat(40)
      .slice(0, 40)
  }

  private source(): Source {
    return {
      name: 'ops/manifests',
      address: 'https://git.example.com/ops/manifests',
      lookUp: async () => this.head(),
      snapshot: async commit =>
        snapshotOf(commit === this.head() ? this.files : (this.past.get(commit) ?? {}), { commit }),
    }
  }

  /** The tag of what runs on each site, in the order of the sites; `-` for nothing. */
  runs(): string {
    return names.map(name => this.versionOn(name)).join(' ')
  }

  /** The sites that run only this version, in their order. */
  sitesWith(version: string): readonly string[] {
    return names.filter(name => this.versionOn(name) === version)
  }

  versionOn(name: string): string {
    const containers = [...(this.engines.get(name)?.has().containers.values() ?? [])]
    const running = containers.filter(({ state }) => state === 'running')
    return running.map(({ image }) => image.slice(image.lastIndexOf(':') + 1)).join('+') || '-'
  }

  async status(): Promise<DeploymentStatus> {
    const [environment] = await this.daemon.ask('GET /api/v1/environments')
    return environment.deployments[0]
  }

  /** Looks until the deployment is in a state. */
  async until(state: string, done: number): Promise<DeploymentStatus> {
    await waitUntil(`${state} with ${done} done`, async () => {
      await this.daemon.pass()
      const { state: now, sites } = await this.status()
      return now === state && sites.done === done
    })
    return this.status()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.daemon[Symbol.asyncDispose]()
  }
}

/** Resolves with a promise. Rejects, as an engine call does, once the signal aborts. */
function untilAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise: aborted, reject } = Promise.withResolvers<void>()
  const stop = () => reject(new Failure('interrupted', 'the wait was ended'))
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })
  return Promise.race([promise, aborted])
}
