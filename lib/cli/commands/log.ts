import { timeOfDayMs } from '../../clock.ts'
import { Failure } from '../../errors.ts'
import { isListening } from '../../is-listening.ts'
import type { Answer } from '../../journal/decisions/answers.ts'
import type { LogEntry } from '../../journal/history/history.ts'
import type { LogFollower } from '../../journal/history/log-follower.ts'
import type { Journal } from '../../journal/journal.ts'
import { knownName } from '../../text/suggestion/unknown-name.ts'
import { sleep } from '../../wait/timer.ts'
import { exitCode } from '../exit.ts'
import type { CommonFlags, PlanDetailFlags } from '../options/flags.ts'
import { oneEnvironment } from '../options/one-environment.ts'
import { controlSocketOf } from '../options/state-dir.ts'
import { hinted } from '../output/hinted.ts'
import { outputOfOne } from '../output/in-environment.ts'
import type { Output } from '../output/output.ts'
import { onceUnread } from '../output/streams.ts'
import { calledIn, readJournal } from '../read-journal.ts'
import { stopSignal } from '../stop-signal.ts'
import { answerLine, logLines, showLines } from '../text/log-text.ts'
import { parseTime } from '../text/time.ts'

export type LogFlags = {
  readonly follow?: boolean
  readonly answers?: boolean
  readonly since?: string
  readonly site?: string
  readonly application?: string
  readonly limit: string
}

const followEveryMs = 500
const mostEntries = 1_000

/**
 * Prints the reconcile log, newest first. It is read from the journal itself, so that no daemon is needed. Fails with
 * `wrong-usage`.
 */
export async function log(output: Output, flags: CommonFlags & LogFlags): Promise<number> {
  if (!/^[1-9]\d{0,8}$/.test(flags.limit))
    throw new Failure(
      'wrong-usage',
      `--limit ${JSON.stringify(flags.limit)} is not a whole number above 0, such as 50`,
    )
  if (flags.follow === true && flags.answers === true)
    throw new Failure('wrong-usage', '--answers cannot be followed')
  if (flags.site !== undefined && flags.answers === true)
    throw new Failure('wrong-usage', '--site is about passes, and not about --answers')
  const limit = Number(flags.limit)
  const journal = readJournal(flags)
  const query = {
    ...namesOf(journal, flags),
    ...(flags.since === undefined ? {} : { sinceMs: parseTime(flags.since, timeOfDayMs(), 'back') }),
    limit: Math.min(limit, mostEntries),
  }
  if (flags.answers === true) return sayAnswers(output, journal.answers(query))
  if (flags.follow !== true) {
    const entries = journal.log(query)
    if (output.json) output.document(entries)
    else output.text(entries.length === 0 ? [nothingIn(query)] : entries.flatMap(logLines))
    return exitCode.done
  }
  const print = (entry: LogEntry) => (output.json ? output.entry(entry) : output.text(logLines(entry)))
  await follow(journal.followLog(query), print)
  return exitCode.done
}

function sayAnswers(output: Output, answers: readonly Answer[]): number {
  if (output.json) output.document(answers)
  else output.text(answers.length === 0 ? ['Nothing was said.'] : answers.map(answerLine))
  return exitCode.done
}

/**
 * Checks the names in the flags. The log also knows what no longer exists. An empty log has no names to compare with.
 */
function namesOf(
  journal: Journal,
  flags: CommonFlags & Pick<LogFlags, 'site' | 'application'>,
): Pick<Parameters<Journal['log']>[0], 'environment' | 'site' | 'application'> {
  const written = oneEnvironment(flags)
  const environment = written === undefined ? undefined : calledIn(journal, written)
  const { site, application } = flags
  const environments = journal.knownEnvironments()
  const isEmpty = environments.length === 0
  if (environment !== undefined && !isEmpty) knownName('environment', environment, environments)
  if (site !== undefined && !isEmpty) knownName('site', site, journal.knownSites(environment))
  if (application !== undefined && !isEmpty)
    knownName('application', application, journal.knownApplications(environment))
  return {
    ...(environment === undefined ? {} : { environment }),
    ...(site === undefined ? {} : { site }),
    ...(application === undefined ? {} : { application }),
  }
}

/** Prints one pass: its plan, who approved it, and every step. Fails with `wrong-usage`. */
export async function show(output: Output, flags: CommonFlags & PlanDetailFlags, pass = ''): Promise<number> {
  const journal = readJournal(flags)
  const found = /^[1-9]\d{0,14}$/.test(pass) ? journal.show(Number(pass)) : undefined
  if (found === undefined)
    throw new Failure(
      'wrong-usage',
      `there is no pass ${JSON.stringify(pass)}: ${known(journal, Number(pass))}`,
    )
  const { environment } = namesOf(journal, flags)
  if (environment !== undefined && environment !== found.environment)
    throw new Failure(
      'wrong-usage',
      `pass ${pass} is of the environment ${JSON.stringify(found.environment)}, and not of ${JSON.stringify(environment)}`,
    )
  const { error } = found
  const record =
    error === undefined
      ? found
      : { ...found, error: hinted(error, await isListening(controlSocketOf(flags))) }
  if (output.json) output.document(record)
  else
    outputOfOne(output, found.environment, journal.knownEnvironments().length).text(showLines(record, flags))
  return exitCode.done
}

function nothingIn({ sinceMs }: { readonly sinceMs?: number }): string {
  return sinceMs === undefined ? 'The log is empty.' : 'The log has nothing since then.'
}

/** Says which passes are known, for an error about an unknown one. */
function known(journal: Journal, pass: number): string {
  const passes = journal.knownPasses()
  if (passes === undefined) return 'the log is empty'
  const { first, last } = passes
  const isBetween = Number.isInteger(pass) && pass > first && pass < last
  const gapText = isBetween
    ? ', but for those that are counted with an earlier one, which came to the same, and those that made room for newer ones'
    : ''
  return first === last ? `pass ${first} is known` : `passes ${first} to ${last} are known${gapText}`
}

/** Prints what the log says, and each pass once it has ended, until Ctrl-C or until nobody reads the output. */
async function follow({ begun, ended }: LogFollower, print: (entry: LogEntry) => void): Promise<void> {
  const { signal, stop, release } = stopSignal()
  onceUnread(stop)
  begun.toReversed().forEach(print)
  while (!signal.aborted) {
    ended().forEach(print)
    await sleep(followEveryMs, signal).catch(() => undefined)
  }
  release()
}
