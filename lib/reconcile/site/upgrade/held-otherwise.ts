import type { HeldVersion } from '../../../journal/fleet/held-versions.ts'
import { type Blocked, type DesiredState, wantedFrom } from '../../../state/application/desired.ts'

/**
 * Returns the applications that somebody holds at a version while another one is wanted here: the repository was read
 * before the hold, and not since. Nothing of them is touched until it is, because the version that somebody goes back
 * from would come to the other sites otherwise (A12). Pure.
 */
export function heldOtherwise(held: readonly HeldVersion[], desired: DesiredState): readonly Blocked[] {
  const named = new Set(desired.applications.map(({ name }) => name))
  const blocked = new Set(desired.blocked.map(({ application }) => application))
  return held.flatMap(({ application, version, commit }): readonly Blocked[] => {
    const isInForce = named.has(application) && wantedFrom(desired, { application }) === commit
    if (isInForce || blocked.has(application)) return []
    const message = `${application} is held at version ${version}, and the repository could not be read since`
    return [{ application, problems: [{ code: 'version-unreadable', message }] }]
  })
}
