/**
 * A moment to die at: right before or right after the call of that number, counted from 0.
 * `step`: on an engine. `write`: on the journal. `verdict`: on what the journal
 * says of a version. `file`: on the files below the state directory.
 */
export type Point = {
  readonly kind: 'step' | 'write' | 'verdict' | 'file'
  readonly index: number
  readonly when: 'before' | 'after'
}
