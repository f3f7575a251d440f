import type { Difference } from './diff.ts'

/** Whether what is wanted is the operator's to run: nothing happens before that. */
export function isForTheOperator({ declared, missing }: Pick<Difference, 'declared' | 'missing'>): boolean {
  return declared?.service.external === true && missing.length > 0
}
