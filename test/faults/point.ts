/**
 * A moment to die at: right before or right after the call of that number, counted from 0.
 * `step`: on an engine. `write`: on the journal. `file`: on the files below the state directory.
 */
export type Point = {
  readonly kind: 'step' | 'write' | 'file'
  readonly index: number
  readonly when: 'before' | 'after'
}
