import { posix } from 'node:path'
import { Failure, type Problem } from './errors.ts'
import { misnamedBeside } from './manifest/environments.ts'
import { type ManifestReader, readManifestFile } from './manifest/file.ts'
import { loadManifest } from './manifest/tree.ts'
import { withoutContested } from './resolve/block-contested.ts'
import {
  blockedBesides,
  blockOutcomes,
  lostDeployments,
  withDeployments,
} from './resolve/with-deployments.ts'
import { type Reach, withIngress } from './resolve/with-ingress.ts'
import type { Built } from './spec/build/build.ts'
import type { BuildContext } from './spec/build/context.ts'
import { buildAll, type EntryOutcome } from './spec/build/outcomes.ts'
import { blockDependents } from './spec/build/requires.ts'
import { type DeploymentReader, deploymentReader } from './spec/deployment/reader.ts'
import { misnamedSpecifications } from './spec/misnamed.ts'
import { present } from './spec/present.ts'
import type { Specification } from './spec/specification.ts'
import { type SpecificationReader, specificationReader } from './spec/specifications.ts'
import type { DesiredState } from './state/application/desired.ts'
import { isGate } from './state/application/route.ts'
import type { EnvironmentPlace, Identity } from './state/identity.ts'
import type { Snapshot } from './state/repository/snapshot.ts'

/** What the operator's configuration adds to the repository. */
export type ResolveContext = Pick<
  BuildContext,
  'registry' | 'policy' | 'healthyMs' | 'sandboxImage' | 'secrets'
> & {
  /** The name of the repository. */
  readonly source: string
  /** The address of the repository without credentials; absent: its name. */
  readonly address?: string
  /** What the environment is called on engines; absent: its own name. */
  readonly nameOnEngines?: string
  /** Absent: there is none, and nothing has a route. */
  readonly ingress?: Reach
}

/**
 * Returns what a snapshot wants to run in one environment. If a manifest cannot be read as a whole, fails with
 * `InvalidInput`, because then nothing is known. A mistake in one application blocks that application and those that
 * require it (D15). An application runs if
 * the manifest or a deployment names it. Any other specification is only validated, and its problems are warnings.
 */
export async function resolve(
  snapshot: Snapshot,
  environment: EnvironmentPlace,
  context: ResolveContext,
): Promise<DesiredState> {
  const { desired, named, unused } = await resolveWhole(snapshot, environment, context)
  const build = { ...buildContext(environment.name, context), specifications: named.length + unused.length }
  const problems = await problemsOfUnused(unused, build)
  return { ...desired, warnings: [...desired.warnings, ...problems] }
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
}

/** How the files of a repository are read. A caller that reads several environments keeps the files that they share. */
export type Readers = {
  readonly manifest: ManifestReader
  readonly specifications: SpecificationReader
  readonly deployments: DeploymentReader
}

function readersOf(snapshot: Snapshot): Readers {
  return {
    manifest: path => readManifestFile(snapshot, path),
    specifications: specificationReader(snapshot),
    deployments: deploymentReader(snapshot),
  }
}

/** Returns the result of `resolve`, and everything else that was found on the way. */
export async function resolveWhole(
  snapshot: Snapshot,
  { name, directory }: EnvironmentPlace,
  context: ResolveContext,
  readers: Readers = readersOf(snapshot),
): Promise<Whole> {
  if (engineNetworks.includes(name) || isGate(name))
    throw new Failure('environment-invalid', `${directory}: an environment cannot be named "${name}"`, {
      hint: 'Rename it: the environment gives its name to a network, and that name is taken by the engine or looks like one of the ingress.',
    })
  const manifest = await loadManifest(snapshot, posix.join(directory, 'manifest.json'), readers.manifest)
  const specifications = await readers.specifications(directory)
  const { source, ingress, nameOnEngines: environment = name, address = source } = context
  const identity: Identity = { environment, source, address, directory }
  const build = { ...buildContext(name, context), specifications: specifications.size }
  const { entries, deployed } = await withDeployments(
    manifest.services,
    await readers.deployments(directory),
    specifications,
  )
  const misnamed = await misnamedSpecifications(snapshot, directory, entries, specifications)
  const known = new Set([...entries.map(({ name }) => name), ...specifications.keys()])
  const lost = lostDeployments(misnamed, known, deployed)
  const undeployable = [
    ...deployed.blocked,
    ...lost.map(({ application, problems }) => ({ application, problems })),
  ]
  const outcomes = await withoutContested(
    blockOutcomes(await buildAll(entries, specifications, build), undeployable),
    build,
    ingress,
  )
  const built = builtOf(outcomes)
  const idle = outcomes.flatMap(outcome => (outcome.kind === 'idle' ? [outcome] : []))
  const named = new Set(entries.map(({ name }) => name))
  const desired: DesiredState = {
    ...identity,
    revision: snapshot.revision,
    skipConfirmation: manifest.skipConfirmation,
    applications: [...built.values()].map(({ application }) => application),
    blocked: [
      ...outcomes.flatMap(outcome => (outcome.kind === 'blocked' ? [outcome.blocked] : [])),
      ...blockedBesides(outcomes, undeployable),
    ],
    ...present({ idle: idle.map(({ application }) => application), deployments: deployed.deployments }),
    warnings: [
      ...manifest.warnings,
      ...(await misnamedBeside(snapshot, directory, manifest.files)),
      ...misnamed.filter(problem => !lost.some(one => one.problem === problem)),
      ...idle.map(({ warning }) => warning),
      ...[...built.values()].flatMap(({ warnings }) => warnings),
    ],
  }
  return {
    desired: await withIngress(
      blockDependents(desired, (name, requirement) => built.get(name)?.requirementAt(requirement)),
      ingress,
    ),
    unused: [...specifications].flatMap(([name, specification]) => (named.has(name) ? [] : [specification])),
    named: [...specifications].flatMap(([name, specification]) => (named.has(name) ? [specification] : [])),
    faulty: outcomes.flatMap(outcome =>
      outcome.kind === 'blocked' && outcome.built !== undefined ? [outcome.built] : [],
    ),
  }
}

/** Returns what an application is built with in an environment of that name. */
export function buildContext(environmentName: string, context: ResolveContext): BuildContext {
  const { registry, policy, healthyMs, sandboxImage, secrets, ingress, nameOnEngines } = context
  return {
    environment: nameOnEngines ?? environmentName,
    environmentName,
    policy,
    healthyMs,
    sandboxImage,
    secrets,
    ...(registry === undefined ? {} : { registry }),
    ...(ingress === undefined ? {} : { ingress }),
  }
}

/** Networks that every engine has, and words that mean one. */
const engineNetworks: readonly string[] = ['bridge', 'host', 'none', 'default', 'container', 'ingress', 'nat']

function builtOf(outcomes: readonly EntryOutcome[]): ReadonlyMap<string, Built> {
  return new Map(
    outcomes.flatMap(outcome =>
      outcome.kind === 'built' ? [[outcome.application.name, outcome] as const] : [],
    ),
  )
}

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
