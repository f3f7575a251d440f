import { endedAmong } from '../../fleet/spread/ended.ts'
import { versionBefore } from '../../fleet/version-before.ts'
import type { KeptVersion } from '../../journal/fleet/kept-versions.ts'
import type { Journal } from '../../journal/journal.ts'

/** Returns the version of an application that is wanted now; empty if none is known. */
export function presentVersion(
  journal: Pick<Journal, 'heldVersions' | 'placements' | 'versionsWanted'>,
  environment: string,
  application: string,
): string {
  const held = journal.heldVersions(environment).find(one => one.application === application)
  const placed = [...journal.placements(environment).values()].map(({ deployment }) => deployment)
  const named = placed.find(one => one.application === application)?.version
  return held?.version ?? named ?? journal.versionsWanted(environment).get(application) ?? ''
}

/** Says in words how to go back from a rollout of an application: it needs a version before it to go back to. */
export function waysBack(journal: Journal, environment: string, application: string): string {
  const present = presentVersion(journal, environment, application)
  const revert = 'commit a revert'
  return keptVersionBefore(journal, environment, application, present) === undefined
    ? revert
    : `${revert}, or run "tallyman rollback ${application} --now"`
}

/**
 * Returns the kept version that came before the present one, that nobody went back from, that has not only failed, and
 * whose deployment has neither failed nor was aborted; undefined: there is none.
 */
export function keptVersionBefore(
  journal: Pick<Journal, 'keptVersions' | 'versionEntries' | 'judgedRuns'>,
  environment: string,
  application: string,
  present: string,
): KeptVersion | undefined {
  const keptVersions = journal.keptVersions(environment, application)
  const ended = endedAmong(journal.judgedRuns(environment, application))
  const isUsable = (wanted: string) =>
    !ended.has(wanted) &&
    keptVersions.some(({ version, hasOnlyFailed }) => version === wanted && hasOnlyFailed !== true)
  const before = versionBefore(journal.versionEntries(environment, application), present, isUsable)
  return keptVersions.find(({ version }) => version === before)
}
