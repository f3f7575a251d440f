import { optional } from '../../object.ts'
import type { StepEvent } from '../../state/pass/step-event.ts'
import { least } from '../extremes.ts'

/** The running pass: when it began, what it changes, and its latest step. */
export type UnderWay = {
  readonly sinceMs: number
  readonly changes: readonly string[]
  /** One that has something to say stays until it has ended, whatever begins beside it. */
  readonly step?: string
  /** What that step noted last, such as why it still waits. */
  readonly note?: string
}

/** Returns what is under way after an event of a step (G13). Pure. */
export function afterEvent(
  { sinceMs, changes, ...before }: UnderWay,
  { step, phase, note }: Pick<StepEvent, 'step' | 'phase' | 'note'>,
): UnderWay {
  const now = { sinceMs, changes }
  switch (phase) {
    case 'started':
      return { ...now, ...(before.note === undefined ? { step } : before) }
    case 'noted':
      return { ...now, step, ...optional('note', note) }
    case 'done':
    case 'failed':
    case 'skipped':
      return { ...now, ...(before.step === step ? { step } : before) }
  }
}

/** Returns what is under way on several sites: of the steps, one that has something to say; undefined: nothing. Pure. */
export function underWayTogether(
  all: readonly UnderWay[],
  lookingSinceMs: number | undefined,
): UnderWay | undefined {
  const sinceMs = least([lookingSinceMs, ...all.map(one => one.sinceMs)])
  if (sinceMs === undefined) return undefined
  const told = all.find(({ note }) => note !== undefined) ?? all.find(({ step }) => step !== undefined)
  return {
    sinceMs,
    changes: all.flatMap(({ changes }) => changes),
    ...optional('step', told?.step),
    ...optional('note', told?.note),
  }
}
