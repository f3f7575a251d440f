import { setImmediate as turn } from 'node:timers/promises'
import type { Engine } from '../../../lib/engine.ts'
import { Failure } from '../../../lib/errors.ts'
import type { Source } from '../../../lib/git/source.ts'
import { type Journal, journalIn } from '../../../lib/journal/journal.ts'
import type { Database } from '../../../lib/journal/store/database.ts'
import { optional } from '../../../lib/object.ts'
import type { Step } from '../../../lib/plan/step/step.ts'
import { traitsOf } from '../../../lib/plan/step/traits.ts'
import type { DeploymentStatus } from '../../../lib/reconcile/status/deployment/deployment-status.ts'
import type { LiveState } from '../../../lib/state/running/live.ts'
import type { SiteEntry } from '../builders/sites.ts'
import { type Files, snapshotOf } from '../builders/snapshot.ts'
import { type MemoryDaemon, memoryDaemon } from '../memory/memory-daemon.ts'
import { memoryDatabase } from '../memory/memory-journal.ts'
import {
  type Content,
  type FleetShape,
  type Happening,
  type SiteShape,
  type Timed,
  upgradeFrom,
  type words,
} from './happenings.ts'
import { edgesOf, type Promises, type Running, replicas, watchPromises } from './promises.ts'

/** The engine of a site, and what runs there. */
export type FleetEngine = {
  readonly engine: Engine
  readonly runs: () => Running
  /** Removes every container, as somebody on the host would. */
  readonly lose: () => Promise<void>
}

/** One process: what it does after its end reaches nothing. */
type Life = { isOver: boolean; readonly over: PromiseWithResolvers<void> }

const minuteMs = 60_000

/**
 * A daemon over a fleet in which things go wrong, with a clock that only a test moves. What it does is watched on its
 * way to the engines.
 */
export class FaultyFleet implements AsyncDisposable {
  /** Time that only passes. */
  private steadyMs = Date.UTC(2026, 0, 1)
  /** How far the time of day is ahead of that. */
  private aheadMs = 0
  readonly shape: FleetShape
  readonly promises: Promises
  private readonly database: Database
  private readonly commits = new Map<string, Files>()
  private readonly engines: readonly FleetEngine[]
  private readonly canaries: ReadonlySet<number>
  private readonly away = new Set<number>()
  /** The sites that were taken out of the configuration. */
  private readonly gone = new Set<number>()
  /** The sites that have the label of the deployment. */
  private readonly edges: Set<number>
  private readonly failing = new Set<number>()
  /** Each container that was ever made, by its site and its name. */
  private readonly made = new Map<string, { readonly version: string; readonly isBroken: boolean }>()
  private head = ''
  version = '1'
  private content: Content = 'first'
  private steps = 0
  private due: { readonly atStep: number; readonly happening: Happening }[] = []
  private life: Life = { isOver: false, over: Promise.withResolvers() }
  private daemon!: MemoryDaemon

  private constructor(shape: FleetShape, engines: readonly FleetEngine[]) {
    this.shape = shape
    this.engines = engines
    // Sites are drawn in a way that the shape of the fleet decides.
    this.database = memoryDatabase(String(shape.seed))
    const edges = edgesOf(shape)
    this.edges = new Set(edges)
    this.canaries = new Set(edges.slice(0, shape.canaries))
    const runs = (site: number) => this.engines[site]?.runs() ?? []
    this.promises = watchPromises(shape, this.canaries, journalIn(this.database), runs, this.nowMs)
  }

  static async start(
    shape: FleetShape,
    engineOf: (site: string) => Promise<FleetEngine>,
  ): Promise<FaultyFleet> {
    const engines = await Promise.all(shape.sites.map((_, site) => engineOf(`s${site}`)))
    const fleet = new FaultyFleet(shape, engines)
    fleet.commit('1')
    await fleet.live()
    return fleet
  }

  private readonly nowMs = () => this.steadyMs + this.aheadMs

  /** Starts a process on what the journal has. */
  private async live(): Promise<void> {
    const life: Life = { isOver: false, over: Promise.withResolvers() }
    this.life = life
    const source: Source = {
      name: 'ops/manifests',
      address: 'https://git.example.com/ops/manifests',
      lookUp: async () => this.head,
      snapshot: async commit => snapshotOf(this.commits.get(commit) ?? {}, { commit }),
    }
    this.daemon = await memoryDaemon({
      environments: ['prod'],
      files: {},
      source,
      engines: this.engines.map(({ engine }, site) => this.watched(site, engine, life)),
      journal: mortal(journalIn(this.database), life),
      config: {
        sites: this.entries(),
        prune: 'auto',
        healthyMs: 0,
      },
      clock: { nowMs: this.nowMs, steadyMs: () => this.steadyMs },
    })
  }

  private entries(): readonly SiteEntry[] {
    return [...this.shape.sites.entries()]
      .filter(([site]) => !this.gone.has(site))
      .map(([site, { window }]) => this.entryOf(window, site))
  }

  private entryOf(window: SiteShape['window'], site: number): SiteEntry {
    const labels = {
      'system/type': this.edges.has(site) ? 'edge' : 'other',
      ...(this.canaries.has(site) ? { try: '' } : {}),
    }
    const windows = window && {
      provider: [
        {
          days: [],
          startMinutes: window.fromHour * 60,
          zone: 'UTC',
          durationMs: window.hours * 60 * minuteMs,
        },
      ],
      owner: [],
    }
    const entry = { name: `s${site}`, endpoint: `unix:///run/s${site}.sock`, labels }
    return windows === undefined ? entry : { ...entry, windows }
  }

  private watched(site: number, engine: Engine, life: Life): Engine {
    const may = () => {
      if (life.isOver) throw new Failure('interrupted', 'the process was killed')
      if (this.away.has(site)) throw new Failure('engine-unreachable', `s${site}: nobody answers`)
    }
    const asked =
      <Given extends readonly unknown[], Answer>(ask: (...given: Given) => Promise<Answer>) =>
      async (...given: Given): Promise<Answer> => {
        may()
        const answer = await ask(...given)
        may()
        return answer
      }
    const watched: Engine = {
      ...engine,
      redacting: () => watched,
      guarded: () => watched,
      info: asked(engine.info),
      observe: asked(async (...given) => withoutUptimes(await engine.observe(...given))),
      resources: asked(engine.resources),
      images: asked(engine.images),
      execute: async (step, ...more) => {
        may()
        await this.step()
        may()
        const version = this.touched(site, step)
        if (version !== undefined)
          this.promises.touches(site, {
            step: step.do,
            version,
            ...('container' in step ? { container: step.container } : {}),
          })
        if (
          step.do === 'await-healthy' &&
          (this.isBroken(site, step.container) || this.failing.delete(site))
        ) {
          this.promises.fails(site)
          throw new Failure('exited-early', `s${site}: exited with code 1`)
        }
        this.promises.steps(site, this.versionOf(site, step))
        try {
          // Instances take their time, so that sites which may change together do.
          if (step.do === 'await-healthy') for (let left = 20; left > 0; left -= 1) await turn()
          const done = await asked(engine.execute)(step, ...more)
          if (step.do === 'await-healthy') this.promises.proves(site)
          return done
        } finally {
          this.promises.steps(site, undefined)
        }
      },
    }
    return watched
  }

  private isBroken(site: number, container: string): boolean {
    return this.made.get(`s${site}/${container}`)?.isBroken === true
  }

  /** Of which version a step is, if it is about a container that was ever made. */
  private versionOf(site: number, step: Step): string | undefined {
    return 'container' in step ? this.made.get(`s${site}/${step.container}`)?.version : undefined
  }

  /** Which version a step changes something of, if it does. */
  private touched(site: number, step: Step): string | undefined {
    if (traitsOf(step).changes === 'never') return undefined
    if (step.do === 'pull-image') return tagOf(step.reference)
    if (!('container' in step)) return undefined
    const name = `s${site}/${step.container}`
    if (step.do === 'create-container') {
      const { image, env } = step.spec
      this.made.set(name, { version: tagOf(image.reference), isBroken: env?.['CONTENT'] === 'broken' })
    }
    return this.versionOf(site, step)
  }

  /** Whatever is due in the middle of the passes happens before the next step. */
  private async step(): Promise<void> {
    this.steps += 1
    const now = this.due.filter(({ atStep }) => atStep <= this.steps)
    this.due = this.due.filter(one => !now.includes(one))
    for (const { happening } of now) await this.happenNow(happening)
  }

  private commit(version: string, content: Content = 'first'): void {
    if (version !== this.version) this.promises.enters(version)
    this.version = version
    this.content = content
    this.head = String(this.commits.size + 1).padStart(40, '0')
    this.commits.set(this.head, this.files(version, content))
  }

  private files(version: string, content: Content): Files {
    const { parallel, byWord } = this.shape
    const next = byWord ? 'canary-continue-by-action: true' : 'canary-healthy-time: 5m'
    const canary = this.canaries.size === 0 ? '' : `canary-sites: {match-site-labels: try}, ${next}, `
    const paths = upgradeFrom[version]?.map(from => `{version-regexp: '^${from}$', method: stop-and-restart}`)
    return {
      'environments/prod/manifest.json': JSON.stringify({ skipConfirmation: true }),
      'applications/shop.yaml': [
        'name: shop',
        `version: "${version}"`,
        `services: [{name: web, replicas: ${replicas}, containers: [{name: web, image: "registry.example.com/web:${version}", env: {CONTENT: ${content}}}]}]`,
        ...(paths === undefined ? [] : [`upgrade-from: [${paths.join(', ')}]`]),
      ].join('\n'),
      'deployments/shop.yaml': [
        'name: shop',
        'application: shop',
        'placement: {match-site-labels: system/type = edge}',
        `deploy-to-sites: {${canary}sites-in-parallel: ${parallel}, healthy-time: 10m}`,
      ].join('\n'),
    }
  }

  async happen(one: Happening | Timed): Promise<void> {
    this.promises.remember()
    if ('afterSteps' in one) this.due.push({ atStep: this.steps + one.afterSteps, happening: one.happening })
    else await this.happenNow(one)
    await this.pass()
  }

  private async happenNow(one: Happening): Promise<void> {
    const site = 'site' in one ? one.site % this.shape.sites.length : 0
    switch (one.what) {
      case 'passes':
        return
      case 'time passes':
        this.steadyMs += one.minutes * minuteMs
        return
      case 'commit':
        return this.commit(one.version, one.content)
      case 'word':
        return this.say(one.word)
      case 'force-upgrade':
      case 'delete-upgrade':
        return this.sayOfUpgrade(one.what, this.waiting(one.site) ?? site, one.version)
      case 'goes away':
        this.away.add(site)
        return this.promises.loses(site)
      case 'comes back':
        this.away.delete(site)
        return
      case 'fails':
        this.failing.add(site)
        return
      case 'drifts':
        this.promises.clears(site)
        return this.engines[site]?.lose()
      case 'leaves':
        if (this.gone.size === this.shape.sites.length - 1) return
        this.gone.add(site)
        this.promises.loses(site)
        return this.adopt()
      case 'joins':
        this.gone.delete(site)
        return this.adopt()
      case 'is relabelled':
        // A deployment that means no site by mistake is refused.
        if (this.edges.size === 1 && this.edges.has(site)) return
        if (!this.edges.delete(site)) this.edges.add(site)
        return this.adopt()
      case 'redeploy':
        return this.redeploy()
      case 'clock is set':
        this.aheadMs += one.byMinutes * minuteMs
        return
      case 'kill':
        this.life.isOver = true
        this.life.over.resolve()
    }
  }

  private adopt(): void {
    this.daemon.adopt(this.entries())
    this.promises.relabels(this.meant(), this.here())
  }

  private async redeploy(): Promise<void> {
    const asked = this.daemon.ask('POST /api/v1/redeploy', { deployment: 'shop', who: 'ann' })
    // Before its first look, a daemon knows no deployment.
    const isSaid = await asked.then(
      () => true,
      () => false,
    )
    if (isSaid) this.promises.evaluates(this.meant(), this.here())
  }

  /** The sites of the configuration. */
  private here(): readonly number[] {
    return [...this.shape.sites.keys()].filter(site => !this.gone.has(site))
  }

  private meant(): readonly number[] {
    return this.here().filter(site => this.edges.has(site))
  }

  private async say(word: (typeof words)[number]): Promise<void> {
    const who = { who: 'ann' }
    const said =
      word === 'approve'
        ? this.daemon.ask(`POST /api/v1/plans/${(await this.status())?.approve ?? 'none'}/approve`, who)
        : this.daemon.ask(`POST /api/v1/${word}`, {
            ...who,
            ...(word === 'resume' ? { application: 'shop' } : { deployment: 'shop' }),
          })
    // Not every word makes sense at every time.
    await said.catch(() => undefined)
  }

  private async sayOfUpgrade(
    verb: 'force-upgrade' | 'delete-upgrade',
    site: number,
    version?: string,
  ): Promise<void> {
    const asked = { application: 'shop', site: [`s${site}`], ...optional('version', version), who: 'ann' }
    const answer = await this.daemon.ask(`POST /api/v1/${verb}`, asked).catch(() => ({}))
    // Only what the answer names is forced or deleted.
    for (const said of answer.forced ?? []) this.promises.forces(site, said.version)
    for (const said of answer.deleted ?? []) this.promises.deletes(site, said.version)
  }

  /** One of the sites on which something else runs than what is wanted. */
  private waiting(number: number): number | undefined {
    const waiting = [...this.shape.sites.keys()].filter(
      site => ![undefined, this.version].includes(this.promises.stable(site)),
    )
    return waiting[number % waiting.length]
  }

  async status(): Promise<DeploymentStatus | undefined> {
    const [environment] = await this.daemon.ask('GET /api/v1/environments')
    return environment?.deployments?.[0]
  }

  /** Makes a pass over all sites. If the process is killed meanwhile, another one is started. */
  async pass(): Promise<void> {
    const { life, daemon } = this
    await Promise.race([daemon.pass(), life.over.promise])
    if (!life.isOver) return
    await ended(daemon)
    await this.live()
  }

  /** Faults end, people say what they are asked for, and time passes, until all is as it should be. */
  async settle(): Promise<void> {
    this.due = []
    this.away.clear()
    this.failing.clear()
    this.gone.clear()
    const edges = edgesOf(this.shape)
    if (edges.length > 0) this.edges.clear()
    for (const site of edges) this.edges.add(site)
    this.adopt()
    if (this.content === 'broken') this.commit(this.version, 'other')
    await this.pass()
    await this.redeploy()
    await this.pass()
    for (let round = 0; round < 120; round += 1) {
      const state = await this.status()
      if (this.isAsWanted() && state?.state === 'done') return
      if (this.isStranded()) this.commit('9')
      if (state?.left?.some(({ code }) => code === 'quarantined'))
        await this.daemon
          .ask('POST /api/v1/retry', { application: 'shop', who: 'ann' })
          .catch(() => undefined)
      for (const { site, code } of state?.left ?? [])
        if (code === 'upgrade-deleted') await this.sayOfUpgrade('force-upgrade', Number(site.slice(1)))
      await this.approvePlan()
      if (state?.approve !== undefined) await this.say('approve')
      if (state?.state === 'aborted' || state?.state === 'paused') await this.say('resume')
      await this.happen({ what: 'time passes', minutes: 30 })
    }
    throw new Error(
      `${this.version} does not get everywhere: ${this.runs()} ${JSON.stringify(await this.status())}`,
    )
  }

  /** Some removals ask, whatever the environment says. */
  private async approvePlan(): Promise<void> {
    const plan = await this.daemon.ask('GET /api/v1/environments/prod/plan').catch(() => undefined)
    if (plan?.needsConfirmation !== true) return
    await this.daemon.ask(`POST /api/v1/plans/${plan.id}/approve`, { who: 'ann' }).catch(() => undefined)
  }

  private isAsWanted(): boolean {
    return this.engines.every(({ runs }, site) => {
      const running = runs()
      const wanted = this.edges.has(site) ? replicas : 0
      return running.length === wanted && running.every(version => version === this.version)
    })
  }

  /** Whether no path leads from what runs somewhere to what is wanted. */
  private isStranded(): boolean {
    const from = upgradeFrom[this.version]
    return this.shape.sites.some((_, site) => {
      const stable = this.promises.stable(site)
      return from !== undefined && stable !== undefined && stable !== this.version && !from.includes(stable)
    })
  }

  /** What runs on each site: `s0:1+1 s1:2+2 s2:-`. */
  runs(): string {
    return this.engines.map(({ runs }, site) => `s${site}:${runs().join('+') || '-'}`).join(' ')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await ended(this.daemon)
  }
}

/** What was killed may not end well. */
async function ended(daemon: MemoryDaemon): Promise<void> {
  try {
    await daemon[Symbol.asyncDispose]()
  } catch {
    // Nothing of it is left.
  }
}

function tagOf(reference: string): string {
  return reference.slice(reference.lastIndexOf(':') + 1)
}

/** A journal in which a process that was killed writes nothing any more. */
function mortal(journal: Journal, life: Life): Journal {
  return new Proxy(journal, {
    get(target, key) {
      const found: unknown = Reflect.get(target, key)
      if (typeof found !== 'function') return found
      return (...given: readonly unknown[]) => {
        if (life.isOver) throw new Failure('interrupted', 'the process was killed')
        return found.apply(target, given)
      }
    },
  })
}

/** The clock of an engine goes on while that of the daemon is moved: how long something has run says nothing here. */
function withoutUptimes({ site, containers }: LiveState): LiveState {
  return { site, containers: containers.map(one => ({ ...one, status: '' })) }
}
