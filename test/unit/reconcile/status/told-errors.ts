import type { ChangeResult } from '../../../../lib/apply/apply.ts'
import type { Failure } from '../../../../lib/errors.ts'
import type { Change, Plan } from '../../../../lib/plan/change/change.ts'
import { errorsOf, type Went } from '../../../../lib/reconcile/status/error.ts'
import type { DesiredState } from '../../../../lib/state/application/desired.ts'
import { desired } from '../../../support/builders/builders.ts'

type Facts = {
  readonly stale?: Failure
  readonly blocked?: DesiredState['blocked']
  readonly unreachable?: { readonly site: string; readonly failure: Failure }
  readonly results?: readonly ChangeResult[]
  readonly changes?: readonly Change[]
}

const { environment, revision } = desired()

const noPlan: Plan = { id: 'plan', environment, revision, changes: [], blocked: [], unseen: [], warnings: [] }

/** A pass in which nothing was to be done. */
export const went: Went = {
  plan: noPlan,
  stuck: [],
  seen: { site: 'local', live: { site: 'local', containers: [] }, atMs: 0 },
  results: [],
  isUnreached: false,
  trouble: undefined,
  troubles: [],
  ending: new Map(),
}

/** `code resource: message`, one line each. */
export function told(facts: Facts): readonly string[] {
  const { stale, blocked = [], unreachable = went.seen, results = [], changes = [] } = facts
  const plan = { ...noPlan, changes, blocked }
  return errorsOf({ ...went, plan, seen: unreachable, results, trouble: stale }).map(
    ({ code, resource, message }) => `${code}${resource === undefined ? '' : ` ${resource}`}: ${message}`,
  )
}
