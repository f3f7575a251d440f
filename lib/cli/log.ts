import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '../errors.ts'
import type { LogEntry } from '../journal/history.ts'
import { type Journal, openJournal } from '../journal/journal.ts'
import { exitCode } from './exit.ts'
import type { CommonFlags } from './flags.ts'
import { logLine, showText } from './log-text.ts'
import type { Output } from './output.ts'
import { stateDirOf } from './state-dir.ts'
import { stopSignal } from './stop-signal.ts'
import { parseTime } from './time.ts'

export type LogFlags = {
  readonly follow?: boolean
  readonly since?: string
  readonly application?: string
  readonly limit: string
}

const followEveryMs = 500

/** The reconcile log, newest first; read from the journal itself, so that no daemon is needed. */
export async function log(output: Output, flags: CommonFlags & LogFlags): Promise<number> {
  const limit = Number(flags.limit)
  if (!Number.isInteger(limit) || limit < 1)
    throw new Failure('wrong-usage', `--limit ${flags.limit} is no count`)
  const journal = readJournal(flags)
  const [environment] = flags.environment ?? []
  const query = {
    ...(environment === undefined ? {} : { environment }),
    ...(flags.application === undefined ? {} : { application: flags.application }),
    ...(flags.since === undefined ? {} : { sinceMs: parseTime(flags.since, Date.now(), 'back') }),
    limit: Math.min(limit, 1_000),
  }
  const entries = journal.log(query)
  if (flags.follow !== true) {
    if (output.json) output.document(entries)
    else
      output.text(
        entries.length === 0
          ? 'The log is empty.\n'
          : entries.map(entry => `${logLine(entry, output.color)}\n`).join(''),
      )
    return exitCode.done
  }
  const print = (entry: LogEntry) =>
    output.text(output.json ? `${JSON.stringify(entry)}\n` : `${logLine(entry, output.color)}\n`)
  for (const entry of [...entries].reverse()) print(entry)
  await follow(journal, query, entries, print)
  return exitCode.done
}

/** One pass whole: its plan, who said yes, and every step. */
export async function show(output: Output, flags: CommonFlags, pass = ''): Promise<number> {
  const record = readJournal(flags).show(Number(pass))
  if (record === undefined) throw new Failure('wrong-usage', `there is no pass ${pass} in the log`)
  if (output.json) output.document(record)
  else output.text(showText(record, output.color))
  return exitCode.done
}

/** Prints each pass once it has ended, oldest first, until Ctrl-C. */
async function follow(
  journal: Journal,
  query: Parameters<Journal['log']>[0],
  seen: readonly LogEntry[],
  print: (entry: LogEntry) => void,
): Promise<void> {
  const { signal, release } = stopSignal()
  let afterPassId = Math.max(0, ...seen.map(({ passId }) => passId))
  while (!signal.aborted) {
    const fresh = journal
      .log({ ...query, afterPassId, limit: 1_000 })
      .filter(({ outcome }) => outcome !== 'running')
    for (const entry of [...fresh].reverse()) {
      print(entry)
      afterPassId = Math.max(afterPassId, entry.passId)
    }
    await sleep(followEveryMs, undefined, { signal }).catch(() => undefined)
  }
  release()
}

function readJournal(flags: CommonFlags): Journal {
  return openJournal(join(stateDirOf(flags), 'tallyman.sqlite'), { readOnly: true })
}
