import { type Failure, toFailure } from '../../errors.ts'
import { wantedLast } from '../../journal/fleet/absent-versions.ts'
import type { Journal } from '../../journal/journal.ts'
import { onceFor } from '../../memo/once-for.ts'
import { type DesiredState, everyVariant } from '../../state/application/desired.ts'
import type { World } from '../world.ts'
import { recordKeptVersions } from './version/record-kept-versions.ts'

/** Why the newest commit is not what is wanted; absent: it is. */
type Staleness = { readonly stale?: Failure }

/** Records what is wanted by now, if that was left open: the versions of its applications, and that it can be used. */
export async function recordWanted(world: World, { stale }: Staleness): Promise<void> {
  const inForce = world.memory.commits.inForce()
  if (inForce === undefined) return
  await keepWanted(world, inForce.own)
  if (stale === undefined) recordGood(world, inForce.pinned)
}

/** Keeps the versions of a commit, and the commit itself: without it, nobody could go back to them (A6). */
export async function keepWanted(world: World, own: DesiredState): Promise<void> {
  recordKeptVersions(world, own)
  const { commit } = own.revision
  await world.source.keep?.(commit).catch(error => {
    const { message, code } = toFailure(error)
    world.log.warn(
      `a commit could not be copied, and can be gone back to only while the repository is there: ${message}`,
      {
        commit,
        code,
      },
    )
  })
}

/**
 * Records that a commit can be used, and which applications it names. If it is the newest one, and still wants a version
 * that somebody went back from, nobody holds another one any more: it is not left any longer.
 */
export function recordGood({ journal }: Pick<World, 'journal'>, desired: DesiredState): void {
  const { environment, revision } = desired
  journal.setLastGood(environment, { commit: revision.commit, revision, applications: namedIn(desired) })
  for (const application of wantedAgain(journal, desired)) journal.endLeaving({ environment, application })
}

/** Of what is blocked, nobody knows whether it is the version that somebody went back from. */
function wantedAgain(
  journal: Pick<Journal, 'leftVersions' | 'heldVersions' | 'versionsWanted' | 'absentWanted'>,
  { environment, blocked }: DesiredState,
): readonly string[] {
  const left = journal.leftVersions(environment)
  if (left.size === 0) return []
  const wanted = wantedLast(journal, environment)
  const others = new Set([...journal.heldVersions(environment), ...blocked].map(one => one.application))
  return [...left.keys()].filter(name => !others.has(name) && wanted.get(name) === left.get(name))
}

/** Returns the applications that the manifest of any site or a deployment names, sorted. Most looks find the same. */
const namedIn = onceFor((desired: DesiredState): readonly string[] => {
  const names = everyVariant(desired).flatMap(({ applications, blocked, deployments = [] }) => [
    ...applications.map(({ name }) => name),
    ...blocked.map(({ application }) => application),
    ...deployments.map(({ application }) => application),
  ])
  return [...new Set(names)].sort()
})
