import type { PassResult } from '../reconcile/site/result/pass-result.ts'

/** Returns a text that changes with anything in a pass that a person would want to know, and with nothing else. */
export function newsOfPass({ outcome, sync, errors, unreachable, plan }: PassResult): string {
  return JSON.stringify([
    outcome === 'applied' ? 'in-sync' : outcome,
    sync,
    // What waits for a change says something else only if somebody changed it. Other words differ from try to try.
    errors.map(({ code, resource, retry, message }) => [code, resource, retry === 'never' ? message : '']),
    unreachable !== undefined,
    plan?.changes.length ? plan.id : '',
    plan?.revision.commit,
  ])
}
