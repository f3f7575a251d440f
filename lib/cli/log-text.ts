import type { LogEntry, PassRecord } from '../journal/history.ts'
import { maskCredentials } from '../mask.ts'
import { brief } from '../plan/brief.ts'
import { type Painter, paint } from '../plan/paint.ts'
import { renderPlan } from '../plan/render.ts'
import { printable } from '../printable.ts'

/** One pass on one line, and what went wrong on the next. */
export function logLine(entry: LogEntry, colored: boolean): string {
  const color = paint(colored)
  const { passId, startedAtMs, environment, revision, planned, approvedBy, error, repeats, trigger } = entry
  const commit =
    revision === undefined
      ? ''
      : `${revision.commit.slice(0, 12)} "${printable(revision.subject)}" by ${printable(revision.author)}`
  const waits = entry.outcome === 'needs-confirmation' || entry.outcome === 'declined'
  const idle = planned.create + planned.replace + planned.start + planned.remove === 0
  const approval = waits || idle ? undefined : approvedBy[0]
  const who =
    approval === undefined
      ? ''
      : `confirmed by ${approval.via === 'skipConfirmation' ? 'skipConfirmation' : printable(approval.who)}`
  const counts = [
    planned.create > 0 ? `+${planned.create}` : '',
    planned.replace > 0 ? `-/+${planned.replace}` : '',
    planned.start > 0 ? `~${planned.start}` : '',
    planned.remove > 0 ? `-${planned.remove}` : '',
    planned.drift > 0 ? 'drift' : '',
  ]
    .filter(Boolean)
    .join(' ')
  const line = [
    `#${passId}`.padEnd(5),
    timeText(startedAtMs),
    environment,
    outcomeText(entry, color),
    counts,
    commit,
    who,
    color.dim(`(${trigger}${repeats > 0 ? repeatText(entry) : ''})`),
  ]
    .filter(part => part !== '')
    .join('  ')
  return error === undefined
    ? line
    : `${line}\n       ${brief(maskCredentials(error.message))} (${error.code})`
}

/** One pass whole. */
export function showText(record: PassRecord, colored: boolean): string {
  const {
    plan,
    digests,
    approvedBy,
    discardedBy,
    events,
    eventCount,
    error,
    endedAtMs,
    startedAtMs,
    passId,
    environment,
    trigger,
    revision,
  } = record
  const changed = digests.filter(({ before, after }) => before.length + after.length > 0)
  const color = paint(colored)
  const blocks = [
    [
      `${color.bold(`Pass #${passId}`)} of ${environment}: ${outcomeText(record, color)}`,
      `  started ${timeText(startedAtMs)} by ${trigger}${endedAtMs === undefined ? '' : `, took ${seconds(endedAtMs - startedAtMs)}`}`,
      ...(revision === undefined
        ? []
        : [
            `  commit ${revision.commit}`,
            `  "${printable(revision.subject)}" by ${printable(revision.author)}, ${revision.time} (${printable(revision.ref)})`,
          ]),
      ...approvedBy.map(
        ({ who, via, atMs, message }) =>
          `  confirmed by ${printable(who)} (${via}) at ${timeText(atMs)}${message === undefined ? '' : `: ${printable(message)}`}`,
      ),
      ...(discardedBy === undefined
        ? []
        : [`  discarded by ${printable(discardedBy.who)} at ${timeText(discardedBy.atMs)}`]),
      ...(error === undefined
        ? []
        : [`  ${printable(error.message)} (${error.code})`, `  hint: ${printable(error.hint)}`]),
    ],
    plan === undefined ? [] : [renderPlan(plan, { color: colored }).trimEnd()],
    changed.length === 0 ? [] : [color.bold('Digests:'), ...changed.map(digestLine)],
    events.length === 0
      ? []
      : [
          color.bold('Steps:'),
          ...events
            .filter(({ phase }) => phase !== 'started')
            .map(
              ({ atMs, step, stage, phase, durationMs, error, note }) =>
                `  ${timeText(atMs)}  ${stage === 'undo' ? 'undo: ' : ''}${step}  ${note === undefined ? phase : printable(note)}${durationMs === undefined ? '' : ` in ${seconds(durationMs)}`}${error === undefined ? '' : `: ${printable(error.message)}`}`,
            ),
          ...(eventCount > events.length ? [`  … ${eventCount - events.length} more`] : []),
        ],
  ]
  return `${blocks
    .filter(lines => lines.length > 0)
    .map(lines => lines.join('\n'))
    .join('\n\n')}\n`
}

/** What the passes since then say, which found the same. */
function repeatText({ outcome, repeats, lastSeenAtMs }: LogEntry): string {
  const until = timeText(lastSeenAtMs)
  return outcome === 'applied' ? `, in sync until ${until}` : `, seen ${repeats + 1} times until ${until}`
}

function outcomeText({ outcome, sync }: LogEntry, color: Painter): string {
  switch (outcome) {
    case 'applied':
    case 'in-sync':
      return color.green(sync === 'OutOfSync' ? `${outcome}, OutOfSync` : outcome)
    case 'running':
    case 'planned':
    case 'needs-confirmation':
      return color.yellow(outcome)
    case 'rolled-back':
    case 'partially-applied':
    case 'failed':
    case 'declined':
    case 'superseded':
    case 'interrupted':
      return color.red(outcome)
  }
}

function digestLine({ application, service, before, after }: PassRecord['digests'][number]): string {
  const name = application === service ? service : `${application}/${service}`
  return `  ${name}: ${before.join(', ') || '(none)'} → ${after.join(', ') || '(none)'}`
}

function timeText(ms: number): string {
  return new Date(ms).toISOString().replace('T', ' ').slice(0, 19)
}

function seconds(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}
