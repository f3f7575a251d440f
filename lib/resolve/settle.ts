import type { Problem } from '../errors.ts'
import type { MetadataSettings } from '../metadata/application.ts'
import { optional } from '../object.ts'
import type { Built } from '../spec/build/build.ts'
import type { BuildContext } from '../spec/build/context.ts'
import type { EntryOutcome } from '../spec/build/outcomes.ts'
import { blockDependents } from '../spec/build/requires.ts'
import type { Whereabouts } from '../spec/claims/whereabouts.ts'
import { present } from '../spec/present.ts'
import type { Application } from '../state/application/application.ts'
import type { Blocked, DesiredState } from '../state/application/desired.ts'
import { versionOf } from '../state/application/version-of.ts'
import { withoutContested } from './block-contested.ts'
import { blockedBesides, blockOutcomes } from './with-deployments.ts'
import { type Reach, withIngress } from './with-ingress.ts'

/** What the sites of an environment have in common, whatever is built for them. */
export type Common = {
  readonly frame: Omit<
    DesiredState,
    'applications' | 'blocked' | 'idle' | 'variants' | 'ingress' | 'written' | 'asking'
  >
  readonly build: BuildContext
  readonly ingress: Reach | undefined
  /** Absent: there is no metadata service. */
  readonly metadata?: MetadataSettings
  /** Which sites are to have which applications. */
  readonly whereabouts: Whereabouts
  /** Applications that their deployments block. */
  readonly undeployable: readonly Blocked[]
}

/** A desired state, and the applications in it that have a mistake, as far as they could be built. */
export type Settled = { readonly desired: DesiredState; readonly faulty: readonly Built[] }

/**
 * Puts the applications that were built one by one together: blocks what claims the same as another, or requires what
 * is not there, and adds the ingress.
 * @param more what is blocked besides
 */
export async function settle(
  built: readonly EntryOutcome[],
  { frame, build, ingress, metadata, whereabouts, undeployable }: Common,
  more: readonly Blocked[] = [],
): Promise<Settled> {
  const besides = more.length === 0 ? undeployable : [...undeployable, ...more]
  const outcomes = await withoutContested(blockOutcomes(built, besides), build, ingress, whereabouts)
  const byName = builtOf(outcomes)
  const idle = outcomes.flatMap(outcome => (outcome.kind === 'idle' ? [outcome] : []))
  const applications = [...byName.values()].map(({ application }) => application)
  const desired: DesiredState = {
    ...frame,
    applications: metadata === undefined ? applications : await withMetadata(applications, build, metadata),
    blocked: [
      ...outcomes.flatMap(outcome => (outcome.kind === 'blocked' ? [versioned(outcome)] : [])),
      ...blockedBesides(outcomes, besides),
    ],
    written: new Map([...byName].map(([name, { images }]) => [name, images])),
    ...optional('asking', askingOf(byName)),
    ...present({ idle: idle.map(({ application }) => application) }),
    warnings: [
      ...frame.warnings,
      ...idle.map(({ warning }) => warning),
      ...[...byName.values()].flatMap(({ warnings }): readonly Problem[] => warnings),
    ],
  }
  return {
    desired: await withIngress(
      blockDependents(desired, whereabouts, (name, requirement) =>
        byName.get(name)?.requirementAt(requirement),
      ),
      ingress,
      whereabouts,
    ),
    faulty: outcomes.flatMap(outcome =>
      outcome.kind === 'blocked' && outcome.built !== undefined ? [outcome.built] : [],
    ),
  }
}

/** Of what has a mistake, an image may be missing: then only the version that it has of its own is known. */
function versioned({ blocked, built }: Extract<EntryOutcome, { kind: 'blocked' }>): Blocked {
  if (built === undefined) return blocked
  const { application, problems } = built
  const version = problems.length === 0 ? versionOf(application) : application.version
  return { ...blocked, ...optional('version', version) }
}

/** Most environments have no pods, and load nothing for them. */
async function withMetadata(
  applications: readonly Application[],
  { environment }: BuildContext,
  settings: MetadataSettings,
): Promise<readonly Application[]> {
  const hasPods = applications.some(({ services }) =>
    services.some(({ instances }) => instances.some(({ sandbox }) => sandbox?.metadata !== undefined)),
  )
  if (!hasPods) return applications
  const { withMetadataService } = await import('../metadata/application.ts')
  return withMetadataService(environment, applications, settings)
}

function builtOf(outcomes: readonly EntryOutcome[]): ReadonlyMap<string, Built> {
  return new Map(
    outcomes.flatMap(outcome =>
      outcome.kind === 'built' ? [[outcome.application.name, outcome] as const] : [],
    ),
  )
}

/** Where no site is a Swarm, there is nothing. */
function askingOf(built: ReadonlyMap<string, Built>): DesiredState['asking'] {
  const asking = [...built].flatMap(([name, { asking }]) =>
    asking === undefined ? [] : [[name, asking] as const],
  )
  return asking.length === 0 ? undefined : new Map(asking)
}
