import type { Answer } from '../../journal/decisions/answers.ts'
import type { GivenDiscard } from '../../journal/decisions/discards.ts'
import type { FailedLater } from '../../journal/history/failed-later.ts'
import type { LogEntry, Loss, PassRecord } from '../../journal/history/history.ts'
import type { RecordedError } from '../../journal/history/passes.ts'
import type { KeptPostMortem } from '../../journal/history/post-mortems.ts'
import { placeName } from '../../plan/change/change.ts'
import { brief } from '../../plan/text/brief.ts'
import { blocks, foreign, type Line, type Styled, styled } from '../../plan/text/line.ts'
import { aboutText, renderPlan, revisionText, signedText } from '../../plan/text/render.ts'
import { hasFailed } from '../../state/pass/outcome.ts'
import { shortCommit } from '../../state/repository/revision.ts'
import { firstAndMore } from '../../text/first-and-more.ts'
import { maskCredentials } from '../../text/redaction/mask.ts'
import { durationText, timeText } from '../../text/time.ts'
import type { PlanDetailFlags } from '../options/flags.ts'

/** Returns what somebody said on one line. */
export function answerLine(answer: Answer): Line {
  const { environment, verb, about, deployment, version, who, via, message, atMs } = answer
  const words = [
    verb,
    about,
    ...(deployment === undefined || deployment === about ? [] : ['for', deployment]),
    version,
  ]
  const what = words.filter(word => word !== undefined).join(' ')
  return `${timeText(atMs)}  ${environment}  ${what} by ${who} (${via})${message === undefined ? '' : `: ${message}`}`
}

/** Returns one pass on one line, and what went wrong, in it or later, on the next ones. */
export function logLines(entry: LogEntry): readonly Line[] {
  const {
    passId,
    startedAtMs,
    environment,
    site = '',
    planned,
    begun,
    approvedBy,
    discardedBy,
    error,
    repeats,
    trigger,
    ignoredHooks = 0,
    held = 0,
    losses = [],
    failedLater = [],
  } = entry
  const waits = entry.outcome === 'needs-confirmation' || entry.outcome === 'declined'
  const idle = planned.create + planned.replace + planned.start + planned.remove === 0
  const approvals = idle || (waits && begun === undefined) ? [] : approvedBy
  const who =
    approvals.length > 0
      ? `confirmed by ${firstAndMore(namesOf(approvals), mostNames)}`
      : waits && discardedBy !== undefined
        ? discardText(discardedBy)
        : ''
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
    site,
    outcomeText(entry),
    ignoredHooks === 0 ? '' : styled('yellow', ignoredText(ignoredHooks)),
    counts,
    begun === undefined || begun.changes === begun.of
      ? ''
      : styled('yellow', `${begun.changes} of ${begun.of} changes begun`),
    commitText(entry),
    held === 0 ? '' : styled('yellow', heldText(held)),
    losses.length === 0 ? '' : styled('yellow', losses.map(one => lossTexts[one]).join(', ')),
    who,
    styled('dim', `(${trigger}${repeats > 0 ? repeatText(entry) : ''})`),
  ]
    .filter(part => part !== '')
    .flatMap((part, at) => (at === 0 ? [part] : ['  ', part]))
  return [
    line,
    ...(error === undefined
      ? []
      : [`       ${brief(maskCredentials(error.message))} (${error.code})${moreText(error)}`]),
    ...failedLater.map(one => `       ${failedText(one)}`),
  ]
}

function failedText({ deployment, version, reason, atMs }: FailedLater): string {
  return `the deployment ${deployment} failed here at ${timeText(atMs)} with version ${version}: ${brief(maskCredentials(reason))}`
}

/** Names everybody who confirmed something, each once: people first, who were asked where the manifest does not answer. */
function namesOf(approvals: LogEntry['approvedBy']): readonly string[] {
  const people = approvals.filter(({ via }) => via !== 'skipConfirmation').map(({ who }) => who)
  const skips = people.length < approvals.length ? ['skipConfirmation'] : []
  return [...new Set([...people, ...skips])]
}

/** What is held is not as the commit says that the line names. */
function heldText(applications: number): string {
  return `except what is held: ${applications} ${applications === 1 ? 'application' : 'applications'}`
}

const lossTexts: Readonly<Record<Loss, string>> = {
  'swarm-made-anew': 'its Swarm was made anew',
  'volume-gone': 'a volume was gone',
}

function ignoredText(hooks: number): string {
  return hooks === 1 ? '1 hook failed, which is ignored' : `${hooks} hooks failed, which is ignored`
}

/** Says how many errors a pass had besides the one that is shown. */
function moreText({ more = 0 }: RecordedError): string {
  return more === 0 ? '' : `, and ${more} more`
}

/** Returns the lines of `show` for one pass. */
export function showLines(record: PassRecord, { verbose = false }: PlanDetailFlags = {}): readonly Line[] {
  const {
    plan,
    begun,
    begunChanges = [],
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
    site,
    trigger,
    revision,
    postMortems = [],
    failedLater = [],
  } = record
  const changed = digests.map(withoutKept).filter(({ before, after }) => before.length + after.length > 0)
  return blocks(
    [
      [
        styled('bold', `Pass #${passId}`),
        ` of ${environment}${site === undefined ? '' : ` on ${site}`}: `,
        outcomeText(record),
      ],
      `  started ${timeText(startedAtMs)} by ${trigger}${endedAtMs === undefined ? '' : `, took ${durationText(Math.max(0, endedAtMs - startedAtMs))}`}`,
      ...(revision === undefined ? [] : [`  commit ${revision.commit}`]),
      ...(revision === undefined || revision.time === ''
        ? []
        : [
            `  ${[aboutText(revision), `${revision.time} (${revision.ref})`].filter(Boolean).join(', ')}${signedText(revision.signedBy)}`,
          ]),
      ...approvedBy.map(
        ({ who, via, atMs, message }) =>
          `  confirmed by ${who} (${via}) at ${timeText(atMs)}${message === undefined ? '' : `: ${message}`}`,
      ),
      ...(begun === undefined || begun.changes === begun.of
        ? []
        : [
            `  began ${begun.changes} of ${begun.of} changes: ${firstAndMore(begunChanges.map(placeName), mostNames)}`,
          ]),
      ...(discardedBy === undefined
        ? []
        : [`  ${discardText(discardedBy)} (at ${timeText(discardedBy.atMs)})`]),
      ...(error === undefined
        ? []
        : [`  ${error.message} (${error.code})${moreText(error)}`, `  hint: ${error.hint}`]),
      ...failedLater.map(one => `  ${failedText(one)}`),
    ],
    plan === undefined ? [] : renderPlan(plan, { verbose }),
    changed.length === 0 ? [] : [styled('bold', 'Digests:'), ...changed.map(digestLine)],
    events.length === 0
      ? []
      : [
          styled('bold', 'Steps:'),
          ...events
            .filter(({ phase }) => phase !== 'started')
            .map(
              ({ atMs, step, stage, phase, durationMs, error, note }) =>
                `  ${timeText(atMs)}  ${stage === 'undo' ? 'undo: ' : ''}${step}  ${note === undefined ? phase : note}${durationMs === undefined ? '' : ` in ${durationText(durationMs)}`}${error === undefined ? '' : `: ${error.message}`}`,
            ),
          ...(eventCount > events.length ? [`  … ${eventCount - events.length} more`] : []),
        ],
    ...postMortems.map(postMortemLines),
  )
}

/** If a commit could not be read, only its name is known. */
function commitText({ revision }: LogEntry): string {
  if (revision === undefined) return ''
  return revision.time === '' ? shortCommit(revision.commit) : revisionText(revision)
}

function discardText({ who, message }: GivenDiscard): string {
  return `discarded by ${who}${message === undefined ? '' : `: ${message}`}`
}

/** The most names of changes on one line. */
const mostNames = 10

/** Says until when later passes found the same. */
function repeatText({ outcome, repeats, lastSeenAtMs }: LogEntry): string {
  const until = timeText(lastSeenAtMs)
  return outcome === 'applied' ? `, in sync until ${until}` : `, seen ${repeats + 1} times until ${until}`
}

function outcomeText({ outcome, sync }: LogEntry): Styled {
  if (outcome === 'applied' || outcome === 'in-sync')
    return styled('green', sync === 'OutOfSync' ? `${outcome}, OutOfSync` : outcome)
  return styled(outcome !== 'running' && hasFailed(outcome) ? 'red' : 'yellow', outcome)
}

/** What stays the same is no change, also of an instance that is made anew. */
function withoutKept(digests: Digests): Digests {
  const { before, after } = digests
  return {
    ...digests,
    before: before.filter(digest => !after.includes(digest)),
    after: after.filter(digest => !before.includes(digest)),
  }
}

type Digests = PassRecord['digests'][number]

function digestLine({ before, after, ...place }: Digests): string {
  return `  ${placeName(place)}: ${before.join(', ') || '(none)'} → ${after.join(', ') || '(none)'}`
}

/** Returns how a container failed, and its last output. */
export function postMortemLines(one: KeptPostMortem): readonly Line[] {
  const { container, site, exitCode, signal, oomKilled, error, restarts, checks, lines } = one
  const end = [
    exitCode === undefined ? 'did not end' : `ended with code ${exitCode}`,
    signal === undefined ? '' : `(${signal})`,
    oomKilled ? 'because it used up its memory' : '',
    restarts === 0 ? '' : `after ${restarts} ${restarts === 1 ? 'restart' : 'restarts'}`,
  ]
    .filter(part => part !== '')
    .join(' ')
  return [
    styled('bold', `Failed: ${container} on ${site}`),
    [`  ${end}`, ...(error === undefined ? [] : [': ', foreign(error)])],
    ...checks.map(check => [`  health check, code ${check.exitCode}: `, foreign(check.output)]),
    ...(lines.length === 0 ? ['  It wrote nothing.'] : [`  Its last ${lines.length} lines:`]),
    ...lines.map(line => foreign(`    ${line}`)),
  ]
}
