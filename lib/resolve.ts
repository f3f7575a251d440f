import { posix } from 'node:path'
import { formatProblem, InvalidInput, type Problem } from './errors.ts'
import { findEnvironments } from './manifest/environments.ts'
import { loadManifest } from './manifest/tree.ts'
import { type BuildContext, type Built, buildApplication } from './spec/build.ts'
import type { ServiceEntry } from './spec/entry.ts'
import { buildPlain } from './spec/plain.ts'
import type { Policy } from './spec/policy.ts'
import { blockDependents } from './spec/requires.ts'
import { loadSpecifications, type Specification } from './spec/specification.ts'
import type { Blocked, DesiredState } from './state/desired.ts'
import type { Snapshot } from './state/snapshot.ts'

/** An environment of a repository, by its name and its directory. */
export type EnvironmentPlace = { readonly name: string; readonly directory: string }

/** What the operator's configuration adds to what the repository says. */
export type ResolveContext = {
  /** The repository without credentials: what the label `tallyman.source` says. */
  readonly source: string
  /** In front of a `dockerName` without a registry (E24). */
  readonly registry?: string
  readonly policy: Policy
  /** How long an instance without a health check must run to pass the gate, where nobody says otherwise. */
  readonly healthyMs: number
}

/**
 * What a snapshot wants to run in one environment. A manifest that cannot be read as a whole fails with
 * `InvalidInput`: nothing is known then. What is wrong with one application blocks that one and what requires it (D15).
 * A specification that no manifest names is only validated: its problems are warnings.
 */
export async function resolve(
  snapshot: Snapshot,
  environment: EnvironmentPlace,
  context: ResolveContext,
): Promise<DesiredState> {
  const { desired, unused } = await resolveWhole(snapshot, environment, context)
  return { ...desired, warnings: [...desired.warnings, ...unused] }
}

/** Everything that is wrong in any environment or specification of a repository, by file and line. */
export async function validateRepository(
  snapshot: Snapshot,
  context: ResolveContext,
): Promise<readonly Problem[]> {
  const environments = await findEnvironments(snapshot)
  const problems: Problem[] = []
  for (const environment of environments) problems.push(...(await problemsOf(snapshot, environment, context)))
  return [...new Map(problems.map(problem => [formatProblem(problem), problem])).values()].sort(byPosition)
}

type Whole = { readonly desired: DesiredState; readonly unused: readonly Problem[] }

async function resolveWhole(
  snapshot: Snapshot,
  { name: environment, directory }: EnvironmentPlace,
  context: ResolveContext,
): Promise<Whole> {
  const manifest = await loadManifest(snapshot, posix.join(directory, 'manifest.json'))
  const specifications = await specificationsFor(snapshot, directory)
  const { registry, policy, healthyMs, source } = context
  const build: BuildContext = {
    environment,
    policy,
    healthyMs,
    ...(registry === undefined ? {} : { registry }),
  }
  const outcomes = manifest.services.map(entry => buildOne(specifications.get(entry.name), entry, build))
  const built = new Map(
    outcomes.flatMap(outcome =>
      outcome.kind === 'built' ? [[outcome.application.name, outcome] as const] : [],
    ),
  )
  const named = new Set(manifest.services.map(({ name }) => name))
  const desired: DesiredState = {
    environment,
    source,
    revision: snapshot.revision,
    skipConfirmation: manifest.skipConfirmation,
    applications: [...built.values()].map(({ application }) => application),
    blocked: outcomes.flatMap(outcome => (outcome.kind === 'blocked' ? [outcome.blocked] : [])),
    warnings: [...manifest.warnings, ...[...built.values()].flatMap(({ warnings }) => warnings)],
  }
  return {
    desired: blockDependents(desired, (name, requirement) => built.get(name)?.requirements.get(requirement)),
    unused: [...specifications]
      .filter(([name]) => !named.has(name))
      .flatMap(([, specification]) => problemsAlone(specification, build)),
  }
}

/** An environment's own specifications take the place of the shared ones of the same name. */
async function specificationsFor(
  snapshot: Snapshot,
  directory: string,
): Promise<ReadonlyMap<string, Specification>> {
  const shared = posix.join(posix.dirname(posix.dirname(directory)), 'applications')
  const [common, own] = await Promise.all([
    loadSpecifications(snapshot, shared),
    loadSpecifications(snapshot, posix.join(directory, 'applications')),
  ])
  return new Map([...common, ...own])
}

type Outcome = ({ readonly kind: 'built' } & Built) | { readonly kind: 'blocked'; readonly blocked: Blocked }

function buildOne(
  specification: Specification | undefined,
  entry: ServiceEntry,
  context: BuildContext,
): Outcome {
  const { name: application } = entry
  if (specification?.state === 'invalid')
    return { kind: 'blocked', blocked: { application, problems: specification.problems } }
  const built =
    specification === undefined ? buildPlain(entry, context) : buildApplication(specification, entry, context)
  const [first, ...more] = built.problems
  return first === undefined
    ? { kind: 'built', ...built }
    : { kind: 'blocked', blocked: { application, problems: [first, ...more] } }
}

function problemsAlone(specification: Specification, context: BuildContext): readonly Problem[] {
  return specification.state === 'invalid'
    ? specification.problems
    : buildApplication(specification, undefined, context).problems
}

async function problemsOf(
  snapshot: Snapshot,
  environment: EnvironmentPlace,
  context: ResolveContext,
): Promise<readonly Problem[]> {
  try {
    const { desired, unused } = await resolveWhole(snapshot, environment, context)
    return [...desired.blocked.flatMap(({ problems }) => problems), ...unused]
  } catch (error) {
    if (error instanceof InvalidInput) return error.problems
    throw error
  }
}

function byPosition(a: Problem, b: Problem): number {
  const [first, second] = [a.position, b.position]
  return (
    compare(first?.file ?? '', second?.file ?? '') ||
    (first?.line ?? 0) - (second?.line ?? 0) ||
    (first?.column ?? 0) - (second?.column ?? 0)
  )
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}
