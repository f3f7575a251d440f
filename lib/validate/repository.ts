import { posix } from 'node:path'
import { Failure, InvalidInput, type Problem } from '../errors.ts'
import { limits } from '../limits.ts'
import { chooseEnvironment, findEnvironments, findMisnamed } from '../manifest/environments.ts'
import { type ManifestFile, readManifestFile, type Unreadable } from '../manifest/file.ts'
import { sumOf } from '../numbers.ts'
import { buildContext, type Readers, type ResolveContext, resolveWhole, type Whole } from '../resolve.ts'
import { problemsOfAll } from '../spec/build/alone.ts'
import { inFileOrder } from '../spec/build/in-file-order.ts'
import { blockDependents } from '../spec/build/requires.ts'
import type { DeploymentFile } from '../spec/deployment/parse.ts'
import { deploymentReader } from '../spec/deployment/reader.ts'
import type { Specification } from '../spec/specification/specification.ts'
import { specificationReader } from '../spec/specification/specifications.ts'
import { type DesiredState, everyVariant } from '../state/application/desired.ts'
import type { EnvironmentPlace } from '../state/identity.ts'
import type { Snapshot } from '../state/repository/snapshot.ts'
import type { Findings } from './findings.ts'
import { namesakes } from './namesakes.ts'
import { type Networked, ownNetworkNames, sharedNetworkNames } from './network-names.ts'
import { type KnownKinds, warningsOnSites } from './on-sites.ts'
import { warningsOnRefused } from './refused-deployments.ts'
import { type SharedEngine, warningsOnSharedEngines } from './shared-engines.ts'

/**
 * Returns everything that is wrong in any environment or specification of a repository. What several environments share
 * is read once, and what none of them names is checked once. Environments beyond `limits.checkedTogether` are refused
 * (G24). Fails with `environment-not-found` if there is no environment at all, or none of a name that the command line
 * has, and with `environment-ambiguous` if there are two.
 */
export async function validateRepository(
  snapshot: Snapshot,
  context: ResolveContext & Configured,
): Promise<Findings> {
  const environments = await findEnvironments(snapshot)
  const misnamed = await findMisnamed(snapshot)
  if (environments.length === 0) chooseEnvironment(environments, undefined, misnamed)
  for (const name of context.asked ?? []) chooseEnvironment(environments, name, misnamed)
  const { readers, costOfRead } = keepingReaders(snapshot)
  const looks: Look[] = []
  let words = 0
  for (const place of environments) {
    if (words + costOfRead() > limits.checkedTogether) {
      looks.push(passedOver(place))
      continue
    }
    const resolved = (chosen: EnvironmentPlace) => resolveWhole(snapshot, chosen, context, readers)
    const look = await lookAt(environments, place, resolved, readers, context)
    words += costOf(look)
    looks.push(look)
  }
  const problems = looks.flatMap(({ problems }) => problems)
  const twins = namesakes(environments, context.environments)
  const warnings = looks.flatMap(({ warnings }) => warnings)
  return {
    problems: inFileOrder([
      ...misnamed,
      ...problems,
      ...problemsOfUnnamed(looks, context),
      ...twins.problems,
    ]),
    warnings: inFileOrder([...warnings, ...sharedNetworkNames(looks), ...twins.warnings]),
  }
}

/** Which environments the operator names, as written there; absent: that is not known. */
type Configured = {
  readonly environments?: readonly string[]
  /** Those that the command line names; absent: none. */
  readonly asked?: readonly string[]
  /** Absent: nobody knows which sites there are. */
  readonly kinds?: KnownKinds
  /** Which of its sites are one engine; absent: that is not known. */
  readonly shared?: (place: EnvironmentPlace) => readonly SharedEngine[]
}

/** What was found in one environment, and which specifications it names or could name. */
type Look = Findings & Pick<Whole, 'named' | 'unused'> & Networked & { readonly sites: number }

const nothing = { warnings: [], named: [], unused: [], networks: [], sites: 0 } as const

/**
 * Returns readers that read each file once, and what manifests and deployments cost: manifests each time that they were
 * asked for, deployments once.
 */
function keepingReaders(snapshot: Snapshot): {
  readonly readers: Readers
  readonly costOfRead: () => number
} {
  const files = new Map<string, ReturnType<Readers['manifest']>>()
  const deployments = deploymentReader(snapshot)
  const counted = new Set<DeploymentFile>()
  let read = 0
  const manifest = async (path: string) => {
    const kept = files.get(path) ?? readManifestFile(snapshot, path)
    files.set(path, kept)
    const file = await kept
    read += costOfFile(file)
    return file
  }
  const readers = {
    manifest,
    specifications: specificationReader(snapshot),
    deployments: async (directory: string) => {
      const all = await deployments(directory)
      const first = [...all.values()].filter(file => !counted.has(file))
      read += sumOf(first, ({ tokens = 0 }) => tokens)
      for (const file of first) counted.add(file)
      return all
    },
  }
  return { readers, costOfRead: () => read }
}

function costOfFile(file: ManifestFile | Unreadable): number {
  return 20 + ('services' in file ? 100 * file.services.length + 20 * file.includes.length : 0)
}

/** One for each word of what it names, and one for each file that it does not name, and what its sites cost. */
function costOf({ named, unused, sites }: Look): number {
  return sumOf(named, wordsOf) + unused.length + sites
}

/** One for each application of a site that has something of its own, and 100 for each that differs there. */
function costOfSites({ applications, variants }: DesiredState): number {
  const common = new Set(applications)
  const costOfSite = ({ applications: own }: Pick<DesiredState, 'applications'>) =>
    sumOf(own, one => (common.has(one) ? 1 : 100))
  return sumOf(variants?.values() ?? [], costOfSite)
}

function wordsOf(specification: Specification): number {
  const whole = specification.state === 'valid' ? specification : specification.rest
  return whole?.document.tokens ?? 0
}

function passedOver(place: EnvironmentPlace): Look {
  const message =
    'is not checked: the environments before it are as much as is checked in one go; divide the repository'
  const position = { file: posix.join(place.directory, 'manifest.json') }
  const problem: Problem = { code: 'repository-too-large', message, position }
  return { place, ...nothing, problems: [problem] }
}

async function lookAt(
  environments: readonly EnvironmentPlace[],
  place: EnvironmentPlace,
  resolved: (place: EnvironmentPlace) => Promise<Whole>,
  readers: Readers,
  {
    kinds = () => new Map(),
    shared = () => [],
    sites,
  }: Pick<Configured, 'kinds' | 'shared'> & Pick<ResolveContext, 'sites'>,
): Promise<Look> {
  try {
    const whole = await resolved(chooseEnvironment(environments, place.directory))
    const { desired, named, unused } = whole
    const deployments = await readers.deployments(place.directory)
    const problems = [...told(desired, problemsOfBlocked), ...unmetBesides(whole)]
    const warnings = [
      ...told(desired, state => state.warnings),
      ...warningsOnSites(desired, kinds(place), sites?.(place).here),
      ...warningsOnSharedEngines(desired, shared(place)),
      ...warningsOnRefused(deployments.values(), desired.deployments ?? [], sites?.(place).here ?? new Map()),
    ]
    return {
      place,
      problems,
      warnings,
      named,
      unused,
      networks: ownNetworkNames(desired),
      sites: costOfSites(desired),
    }
  } catch (error) {
    if (!(error instanceof InvalidInput)) return { place, ...nothing, problems: [problemOf(error)] }
    const { problems, unused } = await besideManifest(place, readers)
    return { place, ...nothing, problems: [...error.problems, ...problems], unused }
  }
}

/** Returns what is said of all sites or of any of them, once. */
function told(desired: DesiredState, said: (state: DesiredState) => readonly Problem[]): readonly Problem[] {
  return [...new Set(everyVariant(desired).flatMap(said))]
}

function problemsOfBlocked({ blocked }: DesiredState): readonly Problem[] {
  return blocked.flatMap(({ problems }) => problems)
}

/** Reads what is beside a manifest that cannot be read, because it is unknown which specifications it names. */
async function besideManifest(
  { directory }: EnvironmentPlace,
  readers: Readers,
): Promise<Pick<Look, 'problems' | 'unused'>> {
  try {
    const deployments = [...(await readers.deployments(directory)).values()]
    const problems = deployments.flatMap(file => (file.state === 'invalid' ? file.problems : []))
    return { problems, unused: [...(await readers.specifications(directory)).values()] }
  } catch (error) {
    return { problems: [problemOf(error)], unused: [] }
  }
}

/**
 * Returns what is wrong with specifications that no environment names, each in the first environment that could name
 * it.
 */
function problemsOfUnnamed(looks: readonly Look[], context: ResolveContext): readonly Problem[] {
  const told = new Set(looks.flatMap(({ named }) => named.map(({ file }) => file)))
  return looks.flatMap(({ place, named, unused }) => {
    const unnamed = unused.filter(({ file }) => !told.has(file))
    for (const { file } of unnamed) told.add(file)
    return unnamed.length === 0
      ? []
      : problemsOfAll(unnamed, {
          ...buildContext(place, context),
          specifications: named.length + unused.length,
        })
  })
}

/** A failure that another try may resolve is no property of the repository, and is thrown again. */
function problemOf(error: unknown): Problem {
  if (!(error instanceof Failure) || error.retry === 'backoff') throw error
  return { code: error.code, message: error.message, hint: error.hint }
}

/** Returns the unmet requirements of applications that have other mistakes too. */
function unmetBesides({
  desired: { applications, blocked, idle },
  faulty,
  whereabouts,
}: Whole): readonly Problem[] {
  const names = new Set(faulty.map(({ application }) => application.name))
  const built = new Map(faulty.map(one => [one.application.name, one]))
  const state = {
    applications: [...applications, ...faulty.map(({ application }) => application)],
    blocked: blocked.filter(({ application }) => !names.has(application)),
    ...(idle === undefined ? {} : { idle }),
  }
  const told = blockDependents(state, whereabouts, (name, other) => built.get(name)?.requirementAt(other))
  return told.blocked.flatMap(({ application, problems }) => (names.has(application) ? problems : []))
}
