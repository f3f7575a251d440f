import { listenersOf } from '../../../config/listeners.ts'
import { neighboursOf, reachOf } from '../../../config/reach.ts'
import { spellingsOf } from '../../../config/spellings.ts'
import type { ReadSettings } from '../../../ingress/settings.ts'
import { locateEnvironment } from '../../../manifest/environments.ts'
import { onceFor } from '../../../memo/once-for.ts'
import { optional } from '../../../object.ts'
import type { KnownSites } from '../../../resolve/sites/directories.ts'
import { resolve } from '../../../resolve.ts'
import type { Declared } from '../../../spec/build/context.ts'
import { changeEverywhere } from '../../../state/application/desired.ts'
import type { Route } from '../../../state/application/ingress/route.ts'
import { hashOf } from '../../../state/canonical.ts'
import type { CalledEnvironment } from '../../../state/identity.ts'
import { imageKey } from '../../../state/image/images.ts'
import type { Secrets } from '../../../state/secret/secrets.ts'
import { watched } from '../../../state/secret/watched.ts'
import type { World } from '../../world.ts'
import { identify, writtenName } from '../identity/identify.ts'
import { ingressSettings, settingsMark } from '../ingress/read-ingress-settings.ts'
import { ingressesIn, rivalOf } from '../ingress/rival-ingress.ts'
import { currentSecrets, markOfSecrets } from '../secrets/secrets.ts'
import type { ReadCommit } from './commits.ts'
import { snapshotAt } from './snapshot-at.ts'
import type { Vouched } from './vouched.ts'

/** What a commit says, before its images are pinned. */
export type Resolved = Pick<
  ReadCommit,
  'snapshot' | 'directory' | 'resolved' | 'secrets' | 'ingressMark' | 'besides' | 'reach'
>

/**
 * Returns the operator's settings of an environment's ingress. They cannot be used while the ingress of another
 * environment has its ports.
 */
export async function readIngress(
  world: World,
  environment: CalledEnvironment,
  secrets: Pick<Secrets, 'compose'>,
): Promise<ReadSettings | undefined> {
  const { ingress } = world.config
  const problem = rivalOf(world, environment)
  if (problem !== undefined) return { state: 'unusable', problem }
  return ingressSettings(
    ingress && { ...ingress, ...listenersOf(ingress, spellingsOf(environment)) },
    secrets,
  )
}

/**
 * Reads what a commit wants. Fails with whatever is wrong in it as a whole.
 * @param told what images say of themselves, by `imageKey`
 */
export async function resolveCommit(
  world: World,
  { commit, ...signature }: Vouched,
  signal: AbortSignal,
  told: ReadonlyMap<string, Declared>,
): Promise<Resolved> {
  const { registry, policy, healthyMs, sandbox, strict, ingress, metadata } = world.config
  const snapshot = await snapshotAt(world, commit, signal)
  const { environment, places } = await locateEnvironment(snapshot, writtenName(world))
  const { identity, warnings: ofIdentity } = await identify(world, environment, places, signal)
  const all = await currentSecrets(world, snapshot, environment.directory)
  const { secrets, seen } = watched(all)
  const called = { ...environment, environment: identity.environment }
  const read = await readIngress(world, called, all)
  const loaded = read === undefined ? [] : loadedAnywhere(world, identity.environment)
  const reach =
    ingress === undefined || read === undefined
      ? undefined
      : { ...reachOf(ingress, world.config, ingressesIn(world)), make: { read, loaded } }
  const ofSites: string[] = []
  const resolved = await resolve(snapshot, environment, {
    source: identity.source,
    address: identity.address,
    nameOnEngines: identity.environment,
    policy,
    healthyMs,
    sandboxImage: sandbox.image,
    strict,
    secrets,
    declared: image => told.get(imageKey(image)),
    ...(registry === undefined ? {} : { registry }),
    ...optional('ingress', reach),
    ...optional('metadata', metadata),
    sites: () => knownSites(world),
    secretsOn(siteDirectory) {
      ofSites.push(siteDirectory)
      return all.onSite(siteDirectory)
    },
    goOn: world.pacing.goOn,
  })
  const { isAsked } = seen()
  const warnings = [...ofIdentity, ...(isAsked ? (secrets.warnings ?? []) : [])]
  return {
    snapshot,
    directory: environment.directory,
    resolved: changeEverywhere(resolved, state => ({
      ...state,
      revision: { ...state.revision, ...signature },
      warnings: [...state.warnings, ...warnings],
    })),
    secrets: { isAsked, mark: await markOfSecrets(all, ofSites), ofSites },
    ingressMark: settingsMark(read),
    besides: besides(world, called),
    ...optional('reach', reach),
  }
}

function loadedAnywhere({ journal, engines }: World, environment: string): readonly Route[] {
  const sites = engines.map(({ site }) => site)
  return journal.routesAnywhere(environment, sites).flat()
}

/** Returns the sites of the operator, as the environment sees them that was found out before. */
function knownSites({ engines, config }: World): KnownSites {
  const running = new Set(engines.map(({ site }) => site))
  const here = new Map(
    config.sites.flatMap(({ name, labels }) => (running.has(name) ? [[name, labels] as const] : [])),
  )
  const elsewhere = new Set(config.sites.flatMap(({ name }) => (here.has(name) ? [] : [name])))
  const swarms = new Set(engines.flatMap(({ site, swarm }) => (swarm === undefined ? [] : [site])))
  return { here, elsewhere, swarms }
}

/**
 * Returns what else affects an environment, as a text: the ingresses of other environments, the versions at which its
 * applications are held, and the sites with their labels.
 */
export function besides(world: World, environment: CalledEnvironment): string {
  const { ingress } = world.config
  const neighbours = ingress && neighboursOf(ingress, world.config, environment, ingressesIn(world))
  const held = world.journal.heldVersions(environment.environment)
  const sites = markOfSites(world.config.sites)
  return JSON.stringify([rivalOf(world, environment)?.message, neighbours, held, sites])
}

/** It is asked for at every look, and the same as long as the configuration is. */
const markOfSites = onceFor((sites: World['config']['sites']) =>
  hashOf(
    sites.map(({ name, kind = 'host', environments = null, labels }) => [name, kind, environments, labels]),
  ),
)
