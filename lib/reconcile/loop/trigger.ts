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

/** What a person asks for goes before what the repository does, and that before what an event asks for. Pure. */
export function moreImportant(before: Trigger, now: Trigger): Trigger {
  return before === 'engine-event' || now === 'command' ? now : before
}
