import { posix } from 'node:path'
import { Failure, type Problem } from '../errors.ts'
import { notThere } from '../manifest/environments.ts'
import {
  type EnvironmentPlace,
  type Holder,
  type Identity,
  isMeant,
  isSource,
  markedName,
  nameOnEngines,
  type Repository,
} from '../state/identity.ts'
import type { World } from './world.ts'

/** Which environment it is, and what a person should know of that. */
export type Identified = { readonly identity: Identity; readonly warnings: readonly Problem[] }

/**
 * Finds out what an environment is called. The journal knows, once it was written to; else the engines are asked, as
 * what they run bears the name. Fails with `config-invalid` where no site runs it, or where another loop of this
 * process has it: from here on only its own sites are known.
 */
export async function identify(
  world: World,
  place: EnvironmentPlace,
  places: readonly EnvironmentPlace[],
  signal: AbortSignal,
): Promise<Identified> {
  const { memory, source, config } = world
  refuseTwin(world, place)
  const repository = { source: source.name, address: source.address }
  const recorded = world.journal.environments()
  const calledBy = (one: EnvironmentPlace) => namesOnEngines(one, repository, recorded)
  memory.place = place
  memory.called = calledBy(place)
  if (world.engines.length === 0) throw unplaced(world, place)
  const isListed = (written: string) =>
    places.some(one => isMeant(one, written) || calledBy(one).includes(written))
  const listed = unknownListed(world, places, isListed)
  if (memory.identity?.directory === place.directory) return { identity: memory.identity, warnings: listed }
  const known = recorded.find(
    holder => holder.directory === place.directory && isSource(holder.source, repository),
  )
  const holders = known === undefined ? [...recorded, ...(await askedOf(world, signal))] : [known]
  const isConfigured = (other: EnvironmentPlace) =>
    config.environments.some(written => isMeant(other, written))
  const environment = nameOnEngines({ repository, place, places, holders, isConfigured })
  const identity: Identity = { ...repository, environment, directory: place.directory }
  memory.identity = identity
  delete memory.claimed
  return { identity, warnings: [...listed, ...nameTaken(identity, place, holders)] }
}

/**
 * What a person names an environment by, in words of the repository: what it is called on engines, where that is not
 * its own name, is its directory.
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

/** What the environment is called, as far as is known before the repository is read; undefined: nobody knows. */
export function nameSoFar({ memory, environment, journal, source }: World): string | undefined {
  if (memory.identity !== undefined || environment === undefined) return memory.identity?.environment
  const repository = { source: source.name, address: source.address }
  const meant = journal
    .environments()
    .filter(known => isSource(known.source, repository))
    .filter(({ directory }) => isMeant({ name: posix.basename(directory), directory }, environment))
  const [only, ...others] = meant
  if (only !== undefined && others.length === 0) return only.environment
  // Written before the journal knew directories.
  return meant.length === 0 ? posix.basename(environment) : undefined
}

/** What its sites know of environments. One that does not answer is passed by; fails as it does where none answers. */
async function askedOf({ engines }: World, signal: AbortSignal): Promise<readonly Holder[]> {
  const answers = await Promise.allSettled(engines.map(engine => engine.holders(signal)))
  const [first] = answers
  if (first?.status === 'rejected' && answers.every(({ status }) => status === 'rejected')) throw first.reason
  return answers.flatMap(answer => (answer.status === 'fulfilled' ? answer.value : []))
}

/** Two loops on one environment would each undo what the other does. */
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
  if (memory.place !== undefined) running.delete(memory.place.directory)
  running.set(directory, own)
}

function unplaced({ config }: World, { directory }: EnvironmentPlace): Failure {
  const sites = config.sites.map(({ name, environments = [] }) => `${name} runs ${environments.join(', ')}`)
  return new Failure('config-invalid', `no site runs ${directory}: ${sites.join('; ')}`, {
    hint: 'Add its name or its directory to the "environments" of a site.',
  })
}

/** What an environment may be called on engines, as far as can be told without asking them. */
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

/** What a site is to run and the repository does not have: most likely a slip of the pen. */
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

/** Told once, before anything bears the other name: what the operator takes for the same may be another one. */
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
