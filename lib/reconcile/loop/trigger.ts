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

/** Why a look at the repository is made: `retry` before the interval is over, because something did not answer. */
export type Why = Trigger | 'retry'

/** Whether a look leads to a pass over each site, also if it finds nothing new. */
export function isForAll(why: Why): boolean {
  return why !== 'retry' && why !== 'deployment'
}

/** Returns why a look is made, as the passes record that it leads to. */
export function triggerOf(why: Why): Trigger {
  return why === 'retry' ? 'poll' : why
}
