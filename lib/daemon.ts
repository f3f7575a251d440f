import { join } from 'node:path'
import { steadyMs, timeOfDayMs } from './clock.ts'
import type { FoundSites } from './config/site/found-sites.ts'
import type { Site } from './config/site/sites.ts'
import { swarmOptionsOf } from './config/site/swarm-options.ts'
import type { Config } from './config.ts'
import { connectSites, type SiteNews } from './daemon/connected-sites.ts'
import { createConnections } from './daemon/connections.ts'
import { extentOf, mostOpenFiles, spareFiles, waitingConnections } from './daemon/open-files.ts'
import { type Connections, startsAtATime } from './docker/api/client.ts'
import { connect } from './docker/connect.ts'
import type { Engine } from './engine.ts'
import { Failure, messageOf } from './errors.ts'
import { hasNoRoom } from './file/disk-full.ts'
import { makeDirectory } from './file/make-directory.ts'
import { openSource, type Source } from './git/source.ts'
import { type Journal, openJournal } from './journal/journal.ts'
import type { TellUnwritten } from './journal/store/insistent.ts'
import type { Log } from './log.ts'
import { onceFor } from './memo/once-for.ts'
import { createPacing, type Pacing } from './reconcile/concurrency/pacing.ts'
import { createPools, type Pools } from './reconcile/concurrency/pools.ts'
import { createMemory } from './reconcile/memory.ts'
import type { KnownNames } from './reconcile/repository/identity/known-names.ts'
import { createRedaction } from './reconcile/repository/secrets/redaction.ts'
import type { World } from './reconcile/world.ts'
import { createPauses, type Pauses } from './registry/api/pause.ts'
import { loginFor } from './registry/credentials.ts'
import { markKey } from './secrets/key.ts'
import { isMeant } from './state/identity.ts'
import { connectSwarm } from './swarm/connect.ts'
import { createLanes } from './wait/lanes.ts'
import { createEngineClaims, type EngineClaims, type EngineClaimsOptions } from './writer/engine-claims.ts'
import { createWriter, type Writer } from './writer.ts'

/** Everything that one process works with. `close` releases it. */
export type Parts = {
  /** With the sites of now. */
  readonly config: Config
  readonly source: Source
  /** Those of the sites of now. */
  readonly engines: readonly Engine[]
  /** Takes over other sites. */
  adopt(found: FoundSites): SiteNews
  /** The names of sites that were taken out since the process started. */
  removedSites(): readonly string[]
  readonly journal: Journal
  readonly writer: Writer
  readonly claims: EngineClaims
  readonly pauses: Pauses
  readonly pools: Pools
  readonly pacing: Pacing
  /** The configured names, by directory, of the environments that this process works on. */
  readonly running: Map<string, string>
  close(): Promise<void>
}

/** Opens source, engines and journal as configured, for the daemon and for the one-shot commands. */
export function openParts(config: Config, told?: TellUnwritten, claiming?: EngineClaimsOptions): Parts {
  makeStateDir(config.stateDir)
  const journal = openJournal(join(config.stateDir, 'tallyman.sqlite'), told === undefined ? {} : { told })
  const source = openSource(config.repository, join(config.stateDir, 'git'), journal.keptCommits)
  const [pauses, pools, pacing] = [createPauses(), createPools(), createPacing()]
  const mostFiles = mostOpenFiles()
  const connections = createConnections(
    () => spareFiles(extentOf(sites.config()), mostFiles),
    () => waitingConnections(sites.engines().length),
  )
  const sites = connectSites(config, connectorOf(config, { turn: pacing.hear, connections }))
  const writer = createWriter()
  const claims = createEngineClaims(claiming)
  const close = async () => {
    // Whoever waits on this machine finds the claims on the engines free.
    await claims.release()
    sites.close()
    await writer.release()
    journal.close()
  }
  const running = new Map<string, string>()
  return {
    get config() {
      return sites.config()
    },
    get engines() {
      return sites.engines()
    },
    adopt: sites.adopt,
    removedSites: sites.removed,
    ...{ source, journal, writer, claims, pauses, pools, pacing, running, close },
  }
}

/** Returns the engines of all sites, which nobody has asked anything yet. */
export function openEngines(config: Config): readonly Engine[] {
  return config.sites.map(connectorOf(config))
}

/** The same without the sites whose settings cannot be used here, which are named. */
export function openUsable(config: Config): {
  readonly engines: readonly Engine[]
  readonly unusable: readonly string[]
} {
  const openOne = connectorOf(config)
  const engines: Engine[] = []
  const unusable: string[] = []
  for (const site of config.sites)
    try {
      engines.push(openOne(site))
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'config-invalid') throw error
      unusable.push(site.name)
    }
  return { engines, unusable }
}

/** When an answer of an engine may be read, and the connections of all sites; absent: at once, and as many as it takes. */
type SharedBySites = { readonly turn: Pacing['hear']; readonly connections: Connections }

function connectorOf(
  { registries, ingress, stateDir }: Config,
  sharedBySites?: SharedBySites,
): (site: Site) => Engine {
  const hasExternalIngress = ingress?.isExternal === true
  const shared = { starts: createLanes(startsAtATime), ...sharedBySites }
  let known: Promise<Buffer> | undefined
  const key = () => {
    known ??= markKey(stateDir).catch(error => {
      known = undefined
      throw error
    })
    return known
  }
  return site => {
    const login = (host: string) => loginFor(registries, host)
    const swarm = swarmOptionsOf(site, ingress)
    if (swarm === undefined)
      return connect(site, login, { ...shared, hasExternalIngress, isHost: site.kind === 'host' })
    return connectSwarm({ ...site, swarm }, login, key, shared)
  }
}

function makeStateDir(stateDir: string): void {
  try {
    makeDirectory(stateDir)
  } catch (cause) {
    const reason = messageOf(cause)
    const code = hasNoRoom(cause) ? 'disk-full' : 'state-dir-unusable'
    throw new Failure(code, `stateDir ${stateDir}: cannot be made: ${reason}`, { cause })
  }
}

/** Creates what the passes over one environment work with. */
export function worldOf(parts: Parts, environment: string | undefined, log: Log): World {
  const memory = createMemory()
  const redaction = createRedaction()
  /** An engine stays the same value while it is the same site. */
  const redacting = onceFor((engine: Engine) => engine.redacting(redaction.onSite(engine.site).redact))
  let own: Own | undefined
  return {
    environment,
    get config() {
      return parts.config
    },
    source: parts.source,
    get engines() {
      const [place, called, { config }] = [memory.names.place(), memory.names.called(), parts]
      if (own === undefined || own.place !== place || own.called !== called || own.config !== config)
        own = {
          place,
          called,
          config,
          engines: enginesOf(config, parts.engines.map(redacting), memory.names),
        }
      return own.engines
    },
    running: parts.running,
    redaction,
    journal: parts.journal,
    writer: parts.writer,
    claims: parts.claims,
    pauses: parts.pauses,
    pools: parts.pools,
    pacing: parts.pacing,
    log: environment === undefined ? log : log.with({ environment }),
    nowMs: timeOfDayMs,
    steadyMs,
    env: process.env,
    memory,
  }
}

/** The sites of an environment, and by what they were found. They are asked for at every pass. */
type Own = {
  readonly place: ReturnType<KnownNames['place']>
  readonly called: ReturnType<KnownNames['called']>
  readonly config: Config
  readonly engines: readonly Engine[]
}

/**
 * Returns the sites of an environment. They are known only once the environment is, because it may be named in several
 * ways, or not at all.
 */
function enginesOf({ sites }: Config, engines: readonly Engine[], known: KnownNames): readonly Engine[] {
  const place = known.place()
  if (place === undefined) return engines
  const called = known.called()
  const isNamed = (written: string) => isMeant(place, written) || called.includes(written)
  const meant = sites.filter(({ environments }) => environments?.some(isNamed) ?? true)
  const names = new Set(meant.map(({ name }) => name))
  return engines.filter(({ site }) => names.has(site))
}
