import { posix } from 'node:path'
import { Failure, type Problem } from '../../../errors.ts'
import { notThere } from '../../../manifest/environments.ts'
import {
  asDirectory,
  type EnvironmentPlace,
  type Holder,
  type Identity,
  isMeant,
  isSource,
  markedName,
  nameOnEngines,
  type Repository,
} from '../../../state/identity.ts'
import { linkedAbort } from '../../../wait/linked-abort.ts'
import { sleep } from '../../../wait/timer.ts'
import { whyNoneAnswers } from '../../site/result/why-unreached.ts'
import type { World } from '../../world.ts'

/** The identity of an environment, and warnings about it. */
export type Identified = { readonly identity: Identity; readonly warnings: readonly Problem[] }

/**
 * Finds out what an environment is called. The journal knows it once it was written to. Otherwise the engines are
 * asked, because what they run has the name in its labels. Fails with `config-invalid` if no site runs the environment,
 * or if another loop of this process does. From here on, only the environment's own sites are used.
 */
export async function identify(
  world: World,
  place: EnvironmentPlace,
  places: readonly EnvironmentPlace[],
  signal: AbortSignal,
): Promise<Identified> {
  const { source, config } = world
  const { names } = world.memory
  refuseTwin(world, place)
  const repository = { source: source.name, address: source.address }
  const recorded = world.journal.environments()
  const calledBy = (one: EnvironmentPlace) => namesOnEngines(one, repository, recorded)
  names.setPlace(place, calledBy(place))
  if (world.engines.length === 0) throw unplaced(world, place)
  const isListed = (written: string) =>
    places.some(one => isMeant(one, written) || calledBy(one).includes(written))
  const listed = unknownListed(world, places, isListed)
  const before = names.identity()
  if (before?.directory === place.directory) return { identity: before, warnings: listed }
  const known = recorded.find(
    holder => holder.directory === place.directory && isSource(holder.source, repository),
  )
  const holders = known === undefined ? [...recorded, ...(await askedOf(world, signal))] : [known]
  const isConfigured = (other: EnvironmentPlace) =>
    config.environments.some(written => isMeant(other, written))
  const environment = nameOnEngines({ repository, place, places, holders, isConfigured })
  const identity: Identity = { ...repository, environment, directory: place.directory }
  names.setIdentity(identity)
  return { identity, warnings: [...listed, ...nameTaken(identity, place, holders)] }
}

/**
 * Returns the name by which a person knows an environment in the repository. If it has another name on engines, that is
 * its directory.
 */
export function writtenName({
  environment,
  journal,
  source,
}: Pick<World, 'environment' | 'journal' | 'source'>): string | undefined {
  const repository = { source: source.name, address: source.address }
  const called = journal
    .environments()
    .find(known => known.environment === environment && isSource(known.source, repository))
  const isMarked = called !== undefined && posix.basename(called.directory) !== environment
  return isMarked ? called.directory : environment
}

/**
 * Returns the name of the environment as far as it is known before the repository is read; undefined if it is unknown.
 * It is never the name of another environment, because everything that is told and recorded goes by it.
 */
export function nameSoFar({
  memory,
  environment,
  journal,
  source,
  running,
  config,
}: World): string | undefined {
  const identity = memory.names.identity()
  if (identity !== undefined || environment === undefined) return identity?.environment
  const repository = { source: source.name, address: source.address }
  const recorded = journal.environments()
  const others = config.environments.filter(other => other !== environment)
  const isAnothers = (directory: string) =>
    (running.get(directory) ?? environment) !== environment ||
    others.some(other => asDirectory(other) === directory)
  const meant = recorded
    .filter(known => isSource(known.source, repository))
    .filter(({ directory }) => isMeant({ name: posix.basename(directory), directory }, environment))
    .filter(({ directory }) => !isAnothers(directory))
  const [only, ...more] = meant
  if (only !== undefined) return more.length === 0 ? only.environment : undefined
  // An older version wrote this, before the journal had directories.
  const name = posix.basename(environment)
  const isTaken =
    recorded.some(known => known.environment === name) || others.some(other => posix.basename(other) === name)
  return isTaken ? undefined : name
}

/** How long the other sites are waited for once one has answered. */
const graceMs = 2_000

/**
 * Returns what the sites know of environments. Sites that do not answer, or not soon after the first, are skipped, so
 * that a silent one holds up nobody (G17). If none answers, fails as `whyNoneAnswers` says.
 */
async function askedOf({ engines, pools }: World, signal: AbortSignal): Promise<readonly Holder[]> {
  const known: (readonly Holder[])[] = []
  const answers = engines.map(async engine => {
    known.push(await pools.look(engine.site, () => engine.holders(signal)))
  })
  try {
    await Promise.any(answers)
  } catch (error) {
    throw whyNoneAnswers(engines, error)
  }
  using over = linkedAbort(signal)
  await Promise.race([Promise.allSettled(answers), sleep(graceMs, over.signal).catch(() => undefined)])
  over.abort()
  return known.flat()
}

/** Two loops on one environment would undo each other's work. */
function refuseTwin({ running, environment, memory }: World, { directory }: EnvironmentPlace): void {
  const own = environment ?? ''
  const other = running.get(directory)
  if (other !== undefined && other !== own)
    throw new Failure(
      'config-invalid',
      `environments: "${other}" and "${own}" are the same environment: ${directory}`,
      {
        hint: 'Name the environment once.',
      },
    )
  const before = memory.names.place()
  if (before !== undefined) running.delete(before.directory)
  running.set(directory, own)
}

function unplaced({ config }: World, { directory }: EnvironmentPlace): Failure {
  if (config.sites.length === 0)
    return new Failure('config-invalid', `no site runs ${directory}: no site is configured`)
  const sites = config.sites.map(({ name, environments = [] }) => `${name} runs ${environments.join(', ')}`)
  return new Failure('config-invalid', `no site runs ${directory}: ${sites.join('; ')}`, {
    hint: 'Add its name or its directory to the "environments" of a site.',
  })
}

/** Returns the names that an environment may have on engines, as far as that can be known without asking them. */
function namesOnEngines(
  place: EnvironmentPlace,
  repository: Repository,
  recorded: readonly Holder[],
): readonly string[] {
  const known = recorded.filter(
    ({ directory, source }) => directory === place.directory && isSource(source, repository),
  )
  return [...known.map(({ environment }) => environment), markedName(repository, place)]
}

/**
 * Returns a warning for each environment that a site lists and the repository does not have, which is probably a
 * mistake.
 */
function unknownListed(
  { config }: World,
  places: readonly EnvironmentPlace[],
  isListed: (written: string) => boolean,
): readonly Problem[] {
  return config.sites.flatMap(({ name, environments = [] }) =>
    environments
      .filter(written => !isListed(written))
      .map(
        (written): Problem => ({
          code: 'environment-not-found',
          message: `sites/${name}: ${notThere(places, written)}`,
          hint: `Correct the "environments" of the site ${name} in the configuration.`,
        }),
      ),
  )
}

/** Warns once, before anything gets the other name, that what the operator takes for one environment may be two. */
function nameTaken(
  { environment, source, address }: Identity,
  { name, directory }: EnvironmentPlace,
  holders: readonly Holder[],
): readonly Problem[] {
  if (environment === name || holders.some(holder => holder.environment === environment)) return []
  const other = holders.find(
    holder => holder.environment === name && !isSource(holder.source, { source, address }),
  )
  if (other === undefined) return []
  const whose = `${other.directory ?? name} of ${other.source}`
  return [
    {
      code: 'environment-name-taken',
      message: `${directory} of ${source} is called ${environment} on engines, because the name ${name} belongs to ${whose} there`,
    },
  ]
}
