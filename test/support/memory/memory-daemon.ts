import { timeOfDayMs } from '../../../lib/clock.ts'
import { loadConfig } from '../../../lib/config.ts'
import { connectSites } from '../../../lib/daemon/connected-sites.ts'
import { type Parts, worldOf } from '../../../lib/daemon.ts'
import type { Engine } from '../../../lib/engine.ts'
import { Failure } from '../../../lib/errors.ts'
import type { Source } from '../../../lib/git/source.ts'
import type { ControlOptions } from '../../../lib/http/controlled.ts'
import { createControlServer } from '../../../lib/http/server.ts'
import type { Journal } from '../../../lib/journal/journal.ts'
import { createPacing } from '../../../lib/reconcile/concurrency/pacing.ts'
import { createPools, type Pools } from '../../../lib/reconcile/concurrency/pools.ts'
import { startLoop } from '../../../lib/reconcile/loop/loop.ts'
import { createPassEnds, lookAgain } from '../../../lib/reconcile/loop/pass-ends.ts'
import type { PassResult } from '../../../lib/reconcile/site/result/pass-result.ts'
import type { World } from '../../../lib/reconcile/world.ts'
import { createPauses } from '../../../lib/registry/api/pause.ts'
import { createEngineClaims, type EngineClaimsOptions } from '../../../lib/writer/engine-claims.ts'
import { digest } from '../builders/builders.ts'
import { asSite, configWith, type SiteEntry, type TestConfig } from '../builders/sites.ts'
import { type Files, snapshotOf } from '../builders/snapshot.ts'
import { memoryEngine } from './memory-engine.ts'
import { memoryJournal } from './memory-journal.ts'

/** A daemon over a repository and an engine in memory: its loops, and what is asked of it without a socket. */
export type MemoryDaemon = AsyncDisposable & {
  readonly journal: Journal
  /** Commits these files; the next pass sees them. Throwing them away, or an error in them, is a commit too. */
  commit(files: Files, commit?: string): void
  /** Asks as a command does: `POST /api/v1/suspend` with a body; gives the JSON. A refusal is a `Failure`. */
  ask(request: string, given?: Readonly<Record<string, unknown>>): Promise<ReturnType<typeof JSON.parse>>
  /** Configures these sites from now on; the next pass sees them. */
  adopt(sites: readonly SiteEntry[]): void
  /** Makes a pass, and waits for its end. */
  pass(environment?: string): Promise<void>
  /** How the last pass over each environment ended. */
  results(): readonly PassResult[]
  /** What the control socket serves. */
  readonly control: ControlOptions
}

export type MemoryDaemonParts = {
  /** Absent: the only one of the repository. */
  readonly environments?: readonly string[]
  readonly files: Files
  readonly engine?: Partial<Engine>
  /** Several sites, which `config.sites` names; they have the images of `everyImage`. */
  readonly engines?: readonly Engine[]
  /** The sites on which another process writes: there this one only observes. */
  readonly rivalOn?: readonly string[]
  /** The environments that another process writes. */
  readonly rivalIn?: readonly string[]
  /** On which machine it is, as the engines see it. */
  readonly claiming?: EngineClaimsOptions
  readonly journal?: Journal
  /** Who signed a commit. */
  readonly verify?: Source['verify']
  /** In place of `files`: a repository whose commits a test makes itself. */
  readonly source?: Source
  /** Where a test puts the clock forward or back. */
  readonly clock?: Pick<World, 'nowMs' | 'steadyMs'>
  /** Where the work of all sites waits, if it has other limits. */
  readonly pools?: Pools
  /** What the operator configures otherwise than the defaults. */
  readonly config?: TestConfig
  /** The engines of sites that come later, or are reached otherwise then. */
  readonly later?: readonly Engine[]
}

/** What passes over a repository and an engine in memory work with, one for each environment. */
export type MemoryWorlds = Pick<MemoryDaemon, 'journal' | 'commit'> &
  Pick<Parts, 'adopt' | 'removedSites' | 'close'> & { readonly worlds: readonly World[] }

/** A registry that has whatever it is asked for. */
export const everyImage: Engine['distribution'] = async () => ({
  digest: digest('a'),
  mediaType: 'application/vnd.oci.image.manifest.v1+json',
})

export function memoryWorlds(parts: MemoryDaemonParts): MemoryWorlds {
  const { environments = [undefined], journal = memoryJournal() } = parts
  let now: { readonly commit: string; readonly files: Files } = { commit: '1'.repeat(40), files: parts.files }
  const source: Source = parts.source ?? {
    name: parts.config?.repository?.name ?? 'ops/manifests',
    address: 'https://git.example.com/ops/manifests',
    lookUp: async () => now.commit,
    async snapshot(commit) {
      if (commit !== now.commit) throw new Failure('commit-unreachable', `has no ${commit}`)
      return snapshotOf(now.files, { commit })
    },
    ...(parts.verify === undefined ? {} : { verify: parts.verify }),
  }
  const engine = { ...memoryEngine({ distribution: everyImage }), ...parts.engine }
  const { ingress: _, ...usual } = loadConfig({ repository: '.' }, {})
  const config = configWith({ ...usual, environments: parts.environments ?? [] }, parts.config)
  const engines = parts.engines ?? [engine]
  const all = new Map(engines.map(one => [one.site, one]))
  const none = memoryEngine({})
  const named = engines.map(({ site }) => asSite({ name: site }))
  const sites = connectSites(
    parts.config?.sites === undefined ? { ...config, sites: named } : config,
    ({ name }) => all.get(name) ?? none,
  )
  for (const one of parts.later ?? []) all.set(one.site, one)
  const claims = createEngineClaims(parts.claiming)
  const opened: Parts = {
    source,
    get config() {
      return sites.config()
    },
    get engines() {
      return sites.engines().filter(one => one !== none)
    },
    adopt: sites.adopt,
    removedSites: sites.removed,
    journal,
    writer: {
      claim: async (_, { environment }, doors) => ({
        isOurs: !doors.some(({ id }) => parts.rivalOn?.includes(id)) && !parts.rivalIn?.includes(environment),
      }),
      leave: async () => undefined,
      release: async () => undefined,
    },
    claims,
    pauses: createPauses(),
    pools: parts.pools ?? createPools(),
    pacing: createPacing(),
    running: new Map(),
    close: () => claims.release(),
  }
  const worlds = environments.map(environment =>
    Object.assign(worldOf(opened, environment, silent), parts.clock),
  )
  return {
    journal,
    worlds,
    adopt: opened.adopt,
    removedSites: opened.removedSites,
    close: opened.close,
    commit(files, commit = '2'.repeat(40)) {
      now = { commit, files }
    },
  }
}

export async function memoryDaemon(parts: MemoryDaemonParts): Promise<MemoryDaemon> {
  const stopping = new AbortController()
  const { journal, worlds, commit, adopt, removedSites, close } = memoryWorlds(parts)
  const running = worlds.map(world => {
    const ends = createPassEnds()
    const loop = startLoop(world, {
      pollMs: undefined,
      signal: stopping.signal,
      random: () => 0,
      onResult: ends.tell,
      onKnown: ends.look,
      onDone: ends.done,
    })
    return { world, loop, ends }
  })
  const { nowMs } = parts.clock ?? { nowMs: timeOfDayMs }
  const control: ControlOptions = { running, journal, nowMs, removedSites }
  const server = createControlServer(control)
  return {
    journal,
    commit,
    control,
    adopt: entries => void adopt({ sites: entries.map(asSite), wrongSites: [] }),
    results: () => running.flatMap(({ loop }) => loop.state().last ?? []),
    async ask(request, given = {}) {
      const [method = '', url = ''] = request.split(' ')
      const query = Object.entries(given).map(
        ([key, value]) => `&${key}=${encodeURIComponent(String(value))}`,
      )
      const asked =
        method === 'POST'
          ? { method: 'POST' as const, url, payload: given }
          : { url: url.includes('?') ? `${url}${query.join('')}` : `${url}?${query.join('')}` }
      const { statusCode, body } = await server.inject(asked)
      if (statusCode === 200) return url.startsWith('/metrics') ? body : JSON.parse(body)
      const { code, message, hint } = JSON.parse(body).error
      throw new Failure(code, message, { hint })
    },
    async pass(environment) {
      const asked = running.filter(
        ({ world }) => environment === undefined || world.environment === environment,
      )
      await Promise.all(asked.map(({ loop, ends }) => lookAgain(loop, ends, stopping.signal)))
    },
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await server.close()
      await Promise.all(running.map(({ loop }) => loop.ended))
      await close()
    },
  }
}

const nothing = () => undefined
export const silent: World['log'] = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  with: () => silent,
}

/** The manifest of an environment: services by name and tag. */
export function manifestOf(
  environment: string,
  services: Readonly<Record<string, string>>,
  more: object = {},
): Files {
  const entries = Object.entries(services).map(([name, dockerTag]) => ({ name, containers: [{ dockerTag }] }))
  return {
    [`environments/${environment}/manifest.json`]: JSON.stringify({ services: entries, ...more }),
  }
}
