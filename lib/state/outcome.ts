/** How a pass ended. Different results have different words: a rollback is never a success (G6). */
export type Outcome =
  | 'in-sync'
  | 'applied'
  | 'rolled-back'
  | 'partially-applied'
  | 'failed'
  | 'needs-confirmation'
  | 'declined'
  | 'superseded'
  | 'planned'
  | 'interrupted'
