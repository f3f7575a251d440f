/** What asks for another look. It carries no facts (G18). */
export type Trigger =
  | 'start'
  | 'poll'
  | 'file-change'
  | 'engine-event'
  | 'command'
  | 'after-apply'
  | 'source-change'
  | 'deployment'
  | 'window'
