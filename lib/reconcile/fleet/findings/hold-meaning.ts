import type { Held, HeldCode } from '../../../plan/hold/held.ts'

/**
 * What becomes of a run on a site where something of its version is held. No reason may hold a batch for good without a
 * word (G12, G13).
 *
 * - `not-ready`: the site goes on by itself later, and holds nobody meanwhile.
 * - `failure`: only a person can help, so the deployment ends (A33).
 * - `hindrance`: the reason may go away. The batch waits for it, and the deployment fails once its time is over.
 * - `others`: a person, or another application, has to change something first. The deployment says that it waits for that.
 * - `turn`: the deployment itself holds it, and says what it waits for.
 */
export type HoldMeaning = 'not-ready' | 'failure' | 'hindrance' | 'others' | 'turn'

/** Each reason for which a change is held. `tried-again` and `commit-unread` stand for any code. */
export type HoldGround = HeldCode | 'tried-again' | 'commit-unread'

const meanings: Readonly<Record<HoldGround, HoldMeaning>> = {
  barred: 'failure',
  'claim-held': 'others',
  'commit-unread': 'not-ready',
  'dependency-held': 'others',
  'deployment-stopped': 'turn',
  'digest-unknown': 'not-ready',
  'drift-reported': 'hindrance',
  'empty-desired-state': 'hindrance',
  'ingress-unreachable': 'hindrance',
  'name-taken': 'hindrance',
  'no-upgrade-path': 'not-ready',
  'not-converging': 'failure',
  'not-its-turn': 'turn',
  'not-placed': 'not-ready',
  'port-taken': 'hindrance',
  'prune-never': 'hindrance',
  quarantined: 'failure',
  suspended: 'not-ready',
  'tried-again': 'hindrance',
  'upgrade-deleted': 'not-ready',
  'version-unreadable': 'not-ready',
  'window-closed': 'not-ready',
}

/** Returns what it means for a run that something of its version is held. */
export function holdMeaning(held: Held): HoldMeaning {
  if (held.isLater) return meanings['tried-again']
  if (held.isUnread) return meanings['commit-unread']
  return meanings[held.code]
}

/** Returns the same of an application that is held, by the code that its status tells; undefined: by none of its own. */
export function codeMeaning(code: string | undefined): HoldMeaning | undefined {
  return code !== undefined && isHeldCode(code) ? meanings[code] : undefined
}

function isHeldCode(code: string): code is HeldCode {
  return Object.hasOwn(meanings, code)
}
