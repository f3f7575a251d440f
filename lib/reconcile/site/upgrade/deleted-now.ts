import { isAttempt } from '../../../plan/change/carried-out.ts'
import { versionOf } from '../../../state/application/version-of.ts'
import type { Found } from '../result/pass-result.ts'
import type { SiteWorld } from '../site.ts'
import { exclusionsIn, toldOn } from './exclusions.ts'

/**
 * Whether somebody has deleted a version that is about to begin, since it was decided that it may. Whoever deletes it
 * after that is told that it has begun (A66).
 */
export function isDeletedNow(site: SiteWorld, { decision, verdict }: Found): boolean {
  const { desired, upgrades } = decision
  const names = new Set(verdict.go.filter(isAttempt).map(({ application }) => application))
  const beginning = desired.applications.filter(({ name }) => {
    const next = upgrades?.next.get(name)
    return names.has(name) && next !== undefined && next.held === undefined
  })
  if (beginning.length === 0) return false
  const told = toldOn(site, desired, { retry: false })
  return beginning.some(application => {
    const { name } = application
    const version = versionOf(application)
    const entry = told.entriesOf(name).findLast(one => one.version === version)
    return exclusionsIn(told, name)(entry ?? { number: 0, version })?.is === 'deleted'
  })
}
