import type { Problem } from '../errors.ts'
import { type EntryOutcome, entryName } from '../spec/build/outcomes.ts'
import type { Deployments } from '../spec/deployment/of-environment.ts'
import type { DeploymentFile } from '../spec/deployment/parse.ts'
import type { Specification } from '../spec/specification/specification.ts'
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
  environmentDirectory: string,
  specifications: ReadonlyMap<string, Specification>,
): Promise<Entries> {
  if (files.size === 0) return { entries: services, deployed: { deployments: [], blocked: [] } }
  const { deploymentsAmong } = await import('../spec/deployment/of-environment.ts')
  const inManifest = new Set(services.map(({ name }) => name))
  const known = new Set([...inManifest, ...specifications.keys()])
  const deployed = deploymentsAmong(files.values(), known, environmentDirectory)
  const added = [...deployed.named]
    .filter(([name]) => specifications.has(name) && !inManifest.has(name))
    .map(([name, position]) => ({ name, position }))
  return { entries: [...services, ...added], deployed }
}

/** Returns the warnings about names without those that are told as errors already, because something is blocked for them. */
export function notBlocking(misnamed: readonly Problem[], blocked: readonly Blocked[]): readonly Problem[] {
  const told = new Set(
    blocked.flatMap(({ problems }) =>
      problems.flatMap(({ code, position }) =>
        code === 'deployment-misnamed' && position ? withParents(position.file) : [],
      ),
    ),
  )
  return misnamed.filter(({ position }) => position === undefined || !told.has(position.file))
}

/** Returns a path, and those of the directories above it. */
function withParents(path: string): readonly string[] {
  const parts = path.split('/')
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
}

/** Blocks applications that have another reason to be blocked than what was found when they were built (D15). */
export function blockOutcomes(
  outcomes: readonly EntryOutcome[],
  blocked: readonly Blocked[],
): readonly EntryOutcome[] {
  if (blocked.length === 0) return outcomes
  const byName = new Map(blocked.map(one => [one.application, one]))
  return outcomes.map(outcome => {
    const more = byName.get(entryName(outcome))
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
  const told = new Set(outcomes.map(entryName))
  return blocked.filter(({ application }) => !told.has(application))
}
