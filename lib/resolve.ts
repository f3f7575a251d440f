import { posix } from 'node:path'
import { Failure, InvalidInput, type Problem } from './errors.ts'
import { ingressApplication } from './ingress/application.ts'
import { asLoaded, type Routed } from './ingress/as-loaded.ts'
import type { ReadSettings } from './ingress/settings.ts'
import { chooseEnvironment, type EnvironmentPlace, findEnvironments } from './manifest/environments.ts'
import { loadManifest } from './manifest/tree.ts'
import { type Built, buildApplication } from './spec/build.ts'
import { sharedClaims } from './spec/claims.ts'
import type { BuildContext } from './spec/context.ts'
import { inFileOrder } from './spec/in-file-order.ts'
import { buildPlain } from './spec/plain.ts'
import type { Policy } from './spec/policy.ts'
import { blockDependents } from './spec/requires.ts'
import { loadSpecifications, type Specification } from './spec/specification.ts'
import type { Blocked, DesiredState } from './state/desired.ts'
import { ingressName, type Route } from './state/route.ts'
import type { Secrets } from './state/secrets.ts'
import type { ServiceEntry } from './state/service-entry.ts'
import type { Snapshot } from './state/snapshot.ts'

/** What the operator's configuration adds to what the repository says. */
export type ResolveContext = {
  /** The repository without credentials: what the label `tallyman.source` says. */
  readonly source: string
  /** In front of a `dockerName` without a registry (E24). */
  readonly registry?: string
  readonly policy: Policy
  /** How long an instance without a health check must run to pass the gate, where nobody says otherwise. */
  readonly healthyMs: number
  /** What sandboxes run; a valid reference. */
  readonly sandboxImage: string
  readonly secrets: Secrets
  /** Absent: there is none, and nothing has a route. */
  readonly ingress?: Reach
}

/** What the operator says of the ingress, and what it loaded last. */
export type Reach = NonNullable<BuildContext['ingress']> & {
  /** Absent: it is not made, and routes are only read. */
  readonly make?: { readonly read: ReadSettings; readonly loaded: readonly Route[] }
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

/**
 * Everything that is wrong in any environment or specification of a repository, by file and line. Fails with
 * `environment-not-found` where there is no environment at all.
 */
export async function validateRepository(
  snapshot: Snapshot,
  context: ResolveContext,
): Promise<readonly Problem[]> {
  const environments = await findEnvironments(snapshot)
  if (environments.length === 0) chooseEnvironment(environments, undefined)
  const problems: Problem[] = []
  for (const { directory } of environments)
    problems.push(...(await problemsOf(snapshot, () => chooseEnvironment(environments, directory), context)))
  return inFileOrder(problems)
}

type Whole = { readonly desired: DesiredState; readonly unused: readonly Problem[] }

async function resolveWhole(
  snapshot: Snapshot,
  { name: environment, directory }: EnvironmentPlace,
  context: ResolveContext,
): Promise<Whole> {
  if (engineNetworks.includes(environment))
    throw new Failure(
      'environment-invalid',
      `${directory}: an environment cannot be named "${environment}"`,
      {
        hint: 'Rename it: the environment gives its name to a network, and the engine has one of that name.',
      },
    )
  const manifest = await loadManifest(snapshot, posix.join(directory, 'manifest.json'))
  const specifications = await specificationsFor(snapshot, directory)
  const { registry, policy, healthyMs, sandboxImage, secrets, source, ingress } = context
  const build: BuildContext = {
    environment,
    policy,
    healthyMs,
    sandboxImage,
    secrets,
    ...(registry === undefined ? {} : { registry }),
    ...(ingress === undefined ? {} : { ingress }),
  }
  const outcomes = withoutSharedClaims(
    manifest.services.map(entry => buildOne(specifications.get(entry.name), entry, build)),
  )
  const built = builtOf(outcomes)
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
    desired: withIngress(
      blockDependents(desired, (name, requirement) => built.get(name)?.requirements.get(requirement)),
      ingress,
    ),
    unused: [...specifications]
      .filter(([name]) => !named.has(name))
      .flatMap(([, specification]) => problemsAlone(specification, build)),
  }
}

/**
 * With the ingress, where anything has a route. What nobody can tell now stays as it was loaded (D15): of an application
 * that is blocked its routes, and all of the ingress where its own settings cannot be used.
 */
function withIngress(desired: DesiredState, ingress: Reach | undefined): DesiredState {
  if (ingress?.make === undefined) return desired
  const { read, loaded } = ingress.make
  const { environment, applications, blocked } = desired
  const kept = blocked.flatMap(({ application }) => asLoaded(environment, application, loaded, ingress.pool))
  const routed = [...applications, ...kept]
  if (read.state === 'unusable') {
    const own: Blocked = { application: ingressName, problems: [read.problem] }
    return hasRoutes(routed) ? { ...desired, blocked: [...blocked, own] } : desired
  }
  const own = ingressApplication(environment, routed, read.settings)
  return own === undefined ? desired : { ...desired, applications: [...applications, own] }
}

function hasRoutes(applications: readonly Routed[]): boolean {
  return applications.some(({ services }) => services.some(({ routes = [] }) => routes.length > 0))
}

/** Networks that every engine has, and words that mean one. */
const engineNetworks: readonly string[] = ['bridge', 'host', 'none', 'default', 'container', 'ingress', 'nat']

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
  const { name: application, position } = entry
  if (application === ingressName) {
    const message = `${application} is the name of the ingress`
    return {
      kind: 'blocked',
      blocked: { application, problems: [{ code: 'name-reserved', message, position }] },
    }
  }
  if (specification?.state === 'invalid')
    return { kind: 'blocked', blocked: { application, problems: specification.problems } }
  const built =
    specification === undefined ? buildPlain(entry, context) : buildApplication(specification, entry, context)
  const [first, ...more] = built.problems
  return first === undefined
    ? { kind: 'built', ...built }
    : { kind: 'blocked', blocked: { application, problems: [first, ...more] } }
}

function builtOf(outcomes: readonly Outcome[]): ReadonlyMap<string, Built> {
  return new Map(
    outcomes.flatMap(outcome =>
      outcome.kind === 'built' ? [[outcome.application.name, outcome] as const] : [],
    ),
  )
}

/** Applications that claim the same requests are blocked, all of them: whose they are is for a person to say. */
function withoutSharedClaims(outcomes: readonly Outcome[]): readonly Outcome[] {
  const shared = sharedClaims(builtOf(outcomes))
  return outcomes.map(outcome => {
    if (outcome.kind === 'blocked') return outcome
    const { name: application } = outcome.application
    const [first, ...more] = shared.get(application) ?? []
    return first === undefined
      ? outcome
      : { kind: 'blocked', blocked: { application, problems: [first, ...more] } }
  })
}

function problemsAlone(specification: Specification, context: BuildContext): readonly Problem[] {
  return specification.state === 'invalid'
    ? specification.problems
    : buildApplication(specification, undefined, context).problems
}

async function problemsOf(
  snapshot: Snapshot,
  environment: () => EnvironmentPlace,
  context: ResolveContext,
): Promise<readonly Problem[]> {
  try {
    const { desired, unused } = await resolveWhole(snapshot, environment(), context)
    return [...desired.blocked.flatMap(({ problems }) => problems), ...unused]
  } catch (error) {
    if (error instanceof InvalidInput) return error.problems
    if (!(error instanceof Failure) || error.retry === 'backoff') throw error
    return [{ code: error.code, message: error.message, hint: error.hint }]
  }
}
