import { posix } from 'node:path'
import { Failure, type Problem } from './errors.ts'
import { misnamedBeside } from './manifest/environments.ts'
import { type ManifestReader, readManifestFile } from './manifest/file.ts'
import { loadManifest } from './manifest/tree.ts'
import type { MetadataSettings } from './metadata/application.ts'
import { obtainableBy } from './resolve/obtainable-certificates.ts'
import { type Common, settle } from './resolve/settle.ts'
import { type KnownSites, siteDirectories } from './resolve/sites/directories.ts'
import type { VariantsInput } from './resolve/sites/variants.ts'
import { unknownLabels } from './resolve/unknown-labels.ts'
import { unknownValueLabels } from './resolve/unknown-value-labels.ts'
import { notBlocking, withDeployments } from './resolve/with-deployments.ts'
import type { Reach } from './resolve/with-ingress.ts'
import type { Built } from './spec/build/build.ts'
import type { BuildContext } from './spec/build/context.ts'
import { buildAll } from './spec/build/outcomes.ts'
import { type Whereabouts, whereaboutsOf } from './spec/claims/whereabouts.ts'
import { type DeploymentReader, deploymentReader } from './spec/deployment/reader.ts'
import { countImages } from './spec/image-count.ts'
import { present } from './spec/present.ts'
import { labelsUsedIn } from './spec/site-variables.ts'
import { misnamedSpecifications } from './spec/specification/misnamed.ts'
import type { Specification } from './spec/specification/specification.ts'
import { type SpecificationReader, specificationReader } from './spec/specification/specifications.ts'
import { changeEverywhere, type DesiredState } from './state/application/desired.ts'
import { isGate } from './state/application/ingress/route.ts'
import { overlayName } from './state/application/network.ts'
import type { EnvironmentPlace, Identity } from './state/identity.ts'
import type { Snapshot } from './state/repository/snapshot.ts'
import type { Secrets } from './state/secret/secrets.ts'

/** What the operator's configuration adds to the repository. */
export type ResolveContext = Pick<
  BuildContext,
  'registry' | 'policy' | 'healthyMs' | 'sandboxImage' | 'secrets' | 'strict' | 'declared'
> & {
  /** The name of the repository. */
  readonly source: string
  /** The address of the repository without credentials; absent: its name. */
  readonly address?: string
  /** What the environment is called on engines; absent: its own name. */
  readonly nameOnEngines?: string
  /** Absent: there is none, and nothing has a route. */
  readonly ingress?: Reach
  /** Absent: there is no metadata service. */
  readonly metadata?: MetadataSettings
  /** Absent: nobody knows which sites there are, and every directory below `sites/` is for one. */
  readonly sites?: (environment: EnvironmentPlace) => KnownSites
  /** Returns the secrets of a site that has a file of its own, by its directory; absent: they are those of all. */
  readonly secretsOn?: (siteDirectory: string) => Promise<Secrets>
  /** Lets others go on between two sites; absent: nobody waits. */
  readonly goOn?: () => Promise<void>
}

/**
 * Returns what a snapshot wants to run in one environment. If a manifest cannot be read as a whole, fails with
 * `InvalidInput`, because then nothing is known. A mistake in one application blocks that application and those that
 * require it (D15). An application runs if the manifest or a deployment names it. Any other specification is only
 * validated, and its problems are warnings.
 */
export async function resolve(
  snapshot: Snapshot,
  environment: EnvironmentPlace,
  context: ResolveContext,
): Promise<DesiredState> {
  const { desired, named, unused } = await resolveWhole(snapshot, environment, context)
  const build = { ...buildContext(environment, context), specifications: named.length + unused.length }
  const problems = await problemsOfUnused(unused, build)
  if (problems.length === 0) return desired
  return changeEverywhere(desired, state => ({ ...state, warnings: [...state.warnings, ...problems] }))
}

/** A desired state, and further results for a caller that looks for all mistakes. */
export type Whole = {
  readonly desired: DesiredState
  /** Specifications that neither the manifest nor a deployment names. */
  readonly unused: readonly Specification[]
  /** Specifications that the manifest or a deployment names. */
  readonly named: readonly Specification[]
  /** Applications with a mistake, as far as they could be built. */
  readonly faulty: readonly Built[]
  /** Which sites are to have which applications: all but those that have something of their own are judged. */
  readonly whereabouts: Whereabouts
}

/** How the files of a repository are read. A caller that reads several environments keeps the files that they share. */
export type Readers = {
  readonly manifest: ManifestReader
  readonly specifications: SpecificationReader
  readonly deployments: DeploymentReader
}

/** Returns readers that read what several environments share once, except for manifest files. */
export function readersOf(snapshot: Snapshot): Readers {
  return {
    manifest: path => readManifestFile(snapshot, path),
    specifications: specificationReader(snapshot),
    deployments: deploymentReader(snapshot),
  }
}

/** Returns the result of `resolve`, and everything else that was found on the way. */
export async function resolveWhole(
  snapshot: Snapshot,
  place: EnvironmentPlace,
  context: ResolveContext,
  readers: Readers = readersOf(snapshot),
): Promise<Whole> {
  const { name, directory } = place
  if (engineNetworks.includes(name) || hasGates(name))
    throw new Failure('environment-invalid', `${directory}: an environment cannot be named "${name}"`, {
      hint: 'Rename it: the environment gives its name to a network, and that name is taken by the engine or looks like one of the ingress.',
    })
  const manifest = await loadManifest(snapshot, posix.join(directory, 'manifest.json'), readers.manifest)
  const specifications = await readers.specifications(directory)
  const { source, ingress, nameOnEngines: environment = name, address = source } = context
  const identity: Identity = { environment, source, address, directory }
  const build = { ...buildContext(place, context), specifications: specifications.size }
  const deployments = await readers.deployments(directory)
  const { entries, deployed } = await withDeployments(
    manifest.services,
    deployments,
    directory,
    specifications,
  )
  const knownSites = context.sites?.(place)
  const sites = await siteDirectories(snapshot, directory, knownSites)
  const common: Common = {
    frame: {
      ...identity,
      revision: snapshot.revision,
      skipConfirmation: manifest.skipConfirmation,
      ...present({ deployments: deployed.deployments }),
      warnings: [
        ...manifest.warnings,
        ...(await misnamedBeside(snapshot, directory, manifest.files)),
        ...notBlocking(
          await misnamedSpecifications(snapshot, directory, entries, specifications),
          deployed.blocked,
        ),
        ...sites.warnings,
        ...(knownSites === undefined
          ? []
          : unknownLabels(deployments.values(), deployed.deployments, knownSites)),
        ...unknownValueLabels(
          entries.flatMap(({ name }) => specifications.get(name) ?? []),
          knownSites?.here ?? new Map(),
        ),
      ],
    },
    build,
    ingress,
    ...present({ metadata: context.metadata }),
    whereabouts: whereaboutsOf(deployed.deployments, knownSites),
    undeployable: deployed.blocked,
  }
  const tooManyImages = countImages()
  const outcomes = await buildAll(entries, specifications, build, tooManyImages)
  const variants = await variantsIn({
    ...{ environmentDirectory: directory, directories: sites.directories },
    sites: knownSites?.here ?? new Map(),
    ...{ snapshot, readers, entries, specifications, outcomes, tooManyImages, common },
    secretsOn: context.secretsOn,
    goOn: context.goOn,
  })
  // What single sites have instead is judged with them.
  const whereabouts = common.whereabouts.besides([...variants.keys()])
  const { desired, faulty } = await settle(outcomes, { ...common, whereabouts })
  const named = new Set(entries.map(({ name }) => name))
  return {
    desired: variants.size === 0 ? desired : { ...desired, variants },
    unused: [...specifications].flatMap(([name, specification]) => (named.has(name) ? [] : [specification])),
    named: [...specifications].flatMap(([name, specification]) => (named.has(name) ? [specification] : [])),
    faulty,
    whereabouts,
  }
}

/** Most environments are the same on all sites, and load nothing for it. */
async function variantsIn(input: VariantsInput): Promise<ReadonlyMap<string, DesiredState>> {
  const isLabelled = () =>
    [...input.specifications.values()].some(specification => labelsUsedIn(specification).length > 0)
  if (input.directories.length === 0 && !isLabelled()) return new Map()
  const { variantsOf } = await import('./resolve/sites/variants.ts')
  return variantsOf(input)
}

/** Returns what an application is built with in an environment of that name. */
export function buildContext(place: EnvironmentPlace, context: ResolveContext): BuildContext {
  const { registry, policy, healthyMs, sandboxImage, secrets, strict, declared } = context
  const { ingress, metadata, nameOnEngines } = context
  return {
    environment: nameOnEngines ?? place.name,
    environmentName: place.name,
    directory: place.directory,
    policy,
    healthyMs,
    sandboxImage,
    secrets,
    ...present({ strict, declared }),
    ...(registry === undefined ? {} : { registry }),
    ...(ingress === undefined ? {} : { ingress: { ...ingress, obtainable: obtainableBy(ingress) } }),
    ...(metadata === undefined ? {} : { metadata }),
    ...((context.sites?.(place).swarms ?? none).size === 0 ? {} : { onSwarms: true }),
  }
}

const none: ReadonlySet<string> = new Set()

/** Whether a network of an environment of that name would be taken for a gate, on a host or as an overlay of a Swarm. */
function hasGates(environment: string): boolean {
  return isGate(environment) || isGate(overlayName(`${environment}.`, environment))
}

/** Networks that every engine has, and words that mean one. */
const engineNetworks: readonly string[] = ['bridge', 'host', 'none', 'default', 'container', 'ingress', 'nat']

async function problemsOfUnused(
  specifications: readonly Specification[],
  context: BuildContext,
): Promise<readonly Problem[]> {
  if (specifications.length === 0) return []
  const { problemsOfAll } = await import('./spec/build/alone.ts')
  return problemsOfAll(specifications, context).map(problem => ({
    ...problem,
    message: `${problem.message}; this stops nothing, because neither the manifest nor a deployment names the application, but "tallyman validate" counts it as an error`,
  }))
}
