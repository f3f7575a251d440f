import { optional } from '../../object.ts'
import { type Change, isBack, keyOf, type ServicePlace } from '../../plan/change/change.ts'
import type { StepEvent } from '../../state/pass/step-event.ts'
import type { TasksOfService } from '../../state/pass/tasks-now.ts'
import type { Revision } from '../../state/repository/revision.ts'
import { least } from '../extremes.ts'
import type { ApplicationStatus } from '../status/application/application-status.ts'
import { withOnTheirWay } from '../status/application/on-its-way.ts'

/** The running pass: when it began, what it changes, and one of its steps. */
export type UnderWay = {
  readonly sinceMs: number
  readonly changes: readonly string[]
  /** Its site, once the pass has seen it: until then, it is not known whether it answers. */
  readonly reached?: string
  /** The commit that the changes bring; absent: none has begun. */
  readonly revision?: Revision
  /** How the applications of its site were found; several, of several sites. */
  readonly found?: readonly (() => readonly ApplicationStatus[])[]
  /** Absent: there was no pass beside this one. */
  readonly beside?: UnderWayBeside
  /** Another commit that is wanted by now, and cannot take over yet; absent: there is none. */
  readonly newer?: NewerCommit
  /** What else begins once another pass can take over; absent: nothing. */
  readonly coming?: readonly string[]
  /** What goes back to what was there before: it failed, or Tallyman left something half-done there (D18); absent: nothing. */
  readonly back?: readonly ServicePlace[]
  /** Those that have begun and not ended, in this order. */
  readonly open?: readonly OpenStep[]
  /** Of those, one that has something to say, or else the one that began last; if there is none, what ended last. */
  readonly step?: string
  /** What that step noted last, such as why it still waits. */
  readonly note?: string
  /** How the tasks are of services of Swarms that it has waited for. */
  readonly tasks?: readonly TasksOfService[]
}

/** A commit that waits for a rollout. `subject`: the first line of its message; empty if it is not known. */
export type NewerCommit = { readonly commit: string; readonly subject: string; readonly reason: string }

/** What passes beside the running one change, and how the last of them found the applications that that one does not. */
export type UnderWayBeside = {
  readonly changes: readonly string[]
  readonly found: readonly ApplicationStatus[]
}

type OpenStep = { readonly step: string; readonly note?: string }

/** Returns what is under way once the pass has seen its site. Pure. */
export function afterSeen(before: UnderWay, site: string): UnderWay {
  return { ...before, reached: site }
}

/** Returns what is under way as changes are begun. Pure. */
export function underWayWith(
  { reached }: Pick<UnderWay, 'reached'>,
  changes: readonly Change[],
  found: () => readonly ApplicationStatus[],
  revision: Revision,
  sinceMs: number,
): UnderWay {
  const begun = {
    ...{ sinceMs, changes: changes.map(keyOf), found: [found], revision },
    ...optional('reached', reached),
  }
  return withBack(begun, changes.filter(isBack))
}

/** Returns what is under way once another commit waits for it, or none does any more (G13). Pure. */
export function withNewer({ newer: _, ...before }: UnderWay, newer: NewerCommit | undefined): UnderWay {
  return { ...before, ...optional('newer', newer) }
}

/** Returns what is under way once it is known what else begins after it. Pure. */
export function withComing({ coming: _, ...before }: UnderWay, changes: readonly Change[]): UnderWay {
  return { ...before, ...optional('coming', changes.length === 0 ? undefined : changes.map(keyOf)) }
}

/**
 * Returns what is under way once its site was looked at again: how its applications were found then, and those that are
 * on their way, before (G13). Pure.
 */
export function afterStanding(
  { found = [], ...before }: UnderWay,
  now: readonly ApplicationStatus[],
  wasOnItsWay: (application: string) => boolean,
): UnderWay {
  const known = found.flatMap(told => told())
  const all = withOnTheirWay(known, now, wasOnItsWay)
  return { ...before, found: [() => all] }
}

/** Returns what is under way once nothing more is done about a change, whatever came of it (G13). Pure. */
export function afterChange({ back = [], ...before }: UnderWay, key: string): UnderWay {
  const left = back.filter(one => keyOf(one) !== key)
  return {
    ...before,
    changes: before.changes.filter(one => one !== key),
    ...optional('back', left.length === 0 ? undefined : left),
  }
}

/** Returns what is under way after an event of a step (G13). Pure. */
export function afterEvent(
  { open: before = [], step: _, note: __, ...kept }: UnderWay,
  { step, phase, note, stage, ...place }: EventOfStep,
): UnderWay {
  const open = openAfter(before, { step, ...optional('note', note) }, phase)
  const told = open.findLast(one => one.note !== undefined) ?? open.at(-1) ?? { step }
  const now = { ...kept, open, ...told }
  return stage === 'undo' ? withBack(now, [place]) : now
}

type EventOfStep = ServicePlace & Pick<StepEvent, 'step' | 'phase' | 'note' | 'stage'>

function withBack(now: UnderWay, more: readonly ServicePlace[]): UnderWay {
  const all = [...(now.back ?? []), ...more]
  const back = [...new Map(all.map(one => [keyOf(one), placeOf(one)])).values()]
  return { ...now, ...optional('back', back.length === 0 ? undefined : back) }
}

function placeOf({ site, application, service }: ServicePlace): ServicePlace {
  return { site, application, service }
}

/** Returns what is under way once the tasks of a service were seen (G13). Pure. */
export function afterLook(before: UnderWay, now: TasksOfService): UnderWay {
  const others = (before.tasks ?? []).filter(
    ({ application, service }) => application !== now.application || service !== now.service,
  )
  return { ...before, tasks: [...others, now] }
}

function openAfter(
  before: readonly OpenStep[],
  now: OpenStep,
  phase: StepEvent['phase'],
): readonly OpenStep[] {
  switch (phase) {
    case 'started':
      return [...before, { step: now.step }]
    case 'noted':
      return before.map(one => (one.step === now.step ? now : one))
    case 'done':
    case 'failed':
    case 'skipped':
      return before.filter(({ step }) => step !== now.step)
  }
}

/**
 * Returns what is under way on several sites: of the steps, one that has something to say, and the revision if all of them
 * are brought to the same one; undefined: nothing. Pure.
 */
export function underWayTogether(
  all: readonly UnderWay[],
  lookingSinceMs: number | undefined,
): UnderWay | undefined {
  const sinceMs = least([lookingSinceMs, ...all.map(one => one.sinceMs)])
  if (sinceMs === undefined) return undefined
  const told = all.find(({ note }) => note !== undefined) ?? all.find(({ step }) => step !== undefined)
  const tasks = all.flatMap(({ tasks = [] }) => tasks)
  const back = all.flatMap(({ back = [] }) => back)
  // What a later pass has found goes before what this one did.
  const found = all.flatMap(({ found = [], beside }) => (beside ? [...found, () => beside.found] : found))
  const brought = new Map(all.flatMap(({ revision }) => (revision ? [[revision.commit, revision]] : [])))
  const { newer } = all.find(one => one.newer !== undefined) ?? {}
  const [revision, ...others] = brought.values()
  return {
    sinceMs,
    changes: all.flatMap(({ changes, beside }) => (beside ? [...changes, ...beside.changes] : changes)),
    ...optional('revision', others.length === 0 ? revision : undefined),
    ...optional('newer', newer),
    ...optional('step', told?.step),
    ...optional('note', told?.note),
    ...optional('tasks', tasks.length === 0 ? undefined : tasks),
    ...optional('back', back.length === 0 ? undefined : back),
    ...optional('found', found.length === 0 ? undefined : found),
  }
}
