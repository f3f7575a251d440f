import { isOfOperator } from '../../state/application/ingress/external.ts'
import type { DeclaredDifference, Difference } from '../compare/diff.ts'
import type { Held } from '../hold/held.ts'
import { noRollout } from '../rollout/rollout.ts'
import type { Delivery, Repair } from './change.ts'

/** Whether the operator has to start what is wanted. Nothing happens before that. */
export function isForTheOperator({ declared, missing }: Pick<Difference, 'declared' | 'missing'>): boolean {
  return declared !== undefined && isOfOperator(declared.service) && missing.length > 0
}

/** Returns a change without steps, which is shown until the operator starts it. */
export function waiting(difference: DeclaredDifference, held: Held | undefined): Delivery | Repair {
  const { site, application, service, kind, target } = difference
  const reason = 'does not run'
  return {
    site,
    application,
    service,
    action: 'start',
    cause: kind,
    reason,
    instances: difference.missing.length,
    lines: [{ sign: '~', name: service, reason }],
    fields: [],
    ...noRollout,
    target,
    release: difference.release,
    prepare: [],
    jobs: [],
    after: [],
    ...(held === undefined ? {} : { held }),
  }
}
