/** How a pass ended. Different results have different words: a rollback is never a success (G6). */
export type Outcome =
  | 'in-sync'
  | 'applied'
  | 'rolled-back'
  | 'partially-applied'
  | 'failed'
  | 'unreachable'
  | 'needs-confirmation'
  | 'declined'
  | 'superseded'
  | 'planned'
  | 'interrupted'

/** All ways in which a pass can end. */
export const outcomes: readonly Outcome[] = [
  'in-sync',
  'applied',
  'rolled-back',
  'partially-applied',
  'failed',
  'unreachable',
  'needs-confirmation',
  'declined',
  'superseded',
  'planned',
  'interrupted',
]

/** Whether a pass did not do what it was to do. One that waits for a person has not failed. */
export function hasFailed(outcome: Outcome): boolean {
  switch (outcome) {
    case 'in-sync':
    case 'applied':
    case 'planned':
    case 'needs-confirmation':
      return false
    case 'rolled-back':
    case 'partially-applied':
    case 'failed':
    case 'unreachable':
    case 'declined':
    case 'superseded':
    case 'interrupted':
      return true
  }
}
