import { posix } from 'node:path'
import type { Problem } from '../errors.ts'
import type { EntryOutcome } from '../spec/build/outcomes.ts'
import type { Deployments } from '../spec/deployment/of-environment.ts'
import type { DeploymentFile } from '../spec/deployment/parse.ts'
import type { Specification } from '../spec/specification.ts'
import type { Blocked } from '../state/application/desired.ts'
import type { ServiceEntry } from '../state/application/service-entry.ts'

/** What runs in an environment: what its manifest names, and what its deployments name besides. */
export type Entries = {
  readonly entries: readonly ServiceEntry[]
  readonly deployed: Omit<Deployments, 'named'>
}

/**
 * Adds the applications that only a deployment names, each in the version and with the images of its specification.
 * Nothing is loaded for an environment without deployments.
 */
export async function withDeployments(
  services: readonly ServiceEntry[],
  files: ReadonlyMap<string, DeploymentFile>,
  specifications: ReadonlyMap<string, Specification>,
): Promise<Entries> {
  if (files.size === 0) return { entries: services, deployed: { deployments: [], blocked: [] } }
  const { deploymentsAmong } = await import('../spec/deployment/of-environment.ts')
  const inManifest = new Set(services.map(({ name }) => name))
  const deployed = deploymentsAmong(files.values(), new Set([...inManifest, ...specifications.keys()]))
  const added = [...deployed.named]
    .filter(([name]) => specifications.has(name) && !inManifest.has(name))
    .map(([name, position]) => ({ name, position }))
  return { entries: [...services, ...added], deployed }
}

/**
 * Returns the applications whose deployment is probably a file that is not read because of its ending: without it they
 * would go to all sites at once (D15).
 * @param misnamed warnings about names
 * @param known the applications that the manifest names, or that have a specification
 */
export function lostDeployments(
  misnamed: readonly Problem[],
  known: ReadonlySet<string>,
  { deployments }: Entries['deployed'],
): readonly (Blocked & { readonly problem: Problem })[] {
  const deployed = new Set(deployments.map(({ application }) => application))
  return misnamed.flatMap(problem => {
    const file = problem.position?.file ?? ''
    const application = posix.basename(file).replace(/\.(ya?ml|json)$/i, '')
    const isFile = posix.basename(posix.dirname(file)) === 'deployments'
    const isLost = problem.code === 'deployment-misnamed' && isFile && known.has(application)
    return isLost && !deployed.has(application)
      ? [{ application, problem, problems: [problem] as const }]
      : []
  })
}

/** Blocks applications that have another reason to be blocked than what was found when they were built (D15). */
export function blockOutcomes(
  outcomes: readonly EntryOutcome[],
  blocked: readonly Blocked[],
): readonly EntryOutcome[] {
  if (blocked.length === 0) return outcomes
  const byName = new Map(blocked.map(one => [one.application, one]))
  return outcomes.map(outcome => {
    const more = byName.get(nameOf(outcome))
    return more === undefined ? outcome : blockedToo(outcome, more)
  })
}

function blockedToo(outcome: EntryOutcome, more: Blocked): EntryOutcome {
  switch (outcome.kind) {
    case 'built':
      return { kind: 'blocked', blocked: more, built: outcome }
    case 'blocked': {
      const { application, problems } = outcome.blocked
      return { ...outcome, blocked: { application, problems: [...problems, ...more.problems] } }
    }
    case 'idle':
      return { kind: 'blocked', blocked: more }
  }
}

/** Returns what is blocked and is no entry. */
export function blockedBesides(
  outcomes: readonly EntryOutcome[],
  blocked: readonly Blocked[],
): readonly Blocked[] {
  const told = new Set(outcomes.map(nameOf))
  return blocked.filter(({ application }) => !told.has(application))
}

function nameOf(outcome: EntryOutcome): string {
  switch (outcome.kind) {
    case 'built':
      return outcome.application.name
    case 'blocked':
      return outcome.blocked.application
    case 'idle':
      return outcome.application
  }
}
