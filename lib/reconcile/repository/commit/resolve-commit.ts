import { listenersOf } from '../../../config/listeners.ts'
import { neighboursOf, reachOf } from '../../../config/reach.ts'
import { spellingsOf } from '../../../config/spellings.ts'
import type { ReadSettings } from '../../../ingress/settings.ts'
import { locateEnvironment } from '../../../manifest/environments.ts'
import { optional } from '../../../object.ts'
import { resolve } from '../../../resolve.ts'
import type { Declared } from '../../../spec/build/context.ts'
import { changeEverywhere } from '../../../state/application/desired.ts'
import type { CalledEnvironment } from '../../../state/identity.ts'
import { imageKey } from '../../../state/image/images.ts'
import type { Secrets } from '../../../state/secret/secrets.ts'
import { watched } from '../../../state/secret/watched.ts'
import type { World } from '../../world.ts'
import { identify, writtenName } from '../identity/identify.ts'
import { ingressSettings, settingsMark } from '../ingress/read-ingress-settings.ts'
import { ingressesIn, rivalsOf } from '../ingress/rival-ingress.ts'
import { currentSecrets, markOfSecrets } from '../secrets/secrets.ts'
import type { ReadCommit } from './commits.ts'
import { markOfSites, sitesKnownTo } from './sites-known.ts'
import { snapshotAt } from './snapshot-at.ts'
import type { Vouched } from './vouched.ts'

/** What a commit says, before its images are pinned. */
export type Resolved = Pick<
  ReadCommit,
  'snapshot' | 'directory' | 'resolved' | 'secrets' | 'ingressMark' | 'besides' | 'reach'
>

/** Returns the operator's settings of an environment's ingress. */
export async function readIngress(
  world: World,
  environment: CalledEnvironment,
  secrets: Pick<Secrets, 'compose'>,
): Promise<ReadSettings | undefined> {
  const { ingress } = world.config
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
  const names = world.engines.map(({ site }) => site)
  const loaded = read === undefined ? [] : world.journal.routesAnywhere(identity.environment, names)
  const reach =
    ingress === undefined || read === undefined
      ? undefined
      : {
          ...reachOf(ingress, world.config, ingressesIn(world)),
          make: { read, loaded, rivals: rivalsOf(world, called) },
        }
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
    sites: () => sitesKnownTo(world, identity.environment),
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

/**
 * Returns what else affects an environment, as a text: the ingresses of other environments, the versions at which its
 * applications are held, the sites with their labels, and those that deployments mean whatever their labels say.
 */
export function besides(world: World, environment: CalledEnvironment): string {
  const { ingress } = world.config
  const neighbours = ingress && neighboursOf(ingress, world.config, environment, ingressesIn(world))
  const held = world.journal.heldVersions(environment.environment)
  const sites = markOfSites(world, environment.environment)
  const rivals = rivalsOf(world, environment).map(({ sites: where, problem }) => [problem.message, where])
  return JSON.stringify([rivals, neighbours, held, sites])
}
