import type { Client } from '../../docker/api/client.ts'
import { excerpt, type Hide, hiding, saidLines } from '../../docker/container/output/excerpt.ts'
import { tailOf, unreadLog } from '../../docker/container/output/log-tail.ts'
import type { Note } from '../../docker/container/post-mortem/post-mortem.ts'
import {
  exitOf,
  keptWords,
  lastOf,
  mostLines,
  recordWithinMs,
} from '../../docker/container/post-mortem/record.ts'
import type { PostMortem } from '../../state/pass/post-mortem.ts'
import { timeout as abortAfter } from '../../wait/timer.ts'
import type { ContainerSpec, Task, ToldService } from '../api/service.ts'
import { unescaped } from './literal.ts'

/** Returns what hides the secrets of a service in what its tasks wrote. */
export function hideOf({ redact }: Client, { Spec: { TaskTemplate } }: ToldService): Hide {
  return hiding(redact, variablesOf(TaskTemplate.ContainerSpec))
}

/** Returns the variables that a task has, as they were meant. */
export function variablesOf(spec: ContainerSpec | undefined): readonly string[] | null {
  const variables = spec?.['Env']
  return Array.isArray(variables) ? variables.map(one => unescaped(String(one))) : null
}

/**
 * Returns the last lines that a task wrote, on whichever node it ran. One that was never started has written nothing.
 * Undefined if its node does not say it in time.
 */
export async function writtenBy(
  client: Client,
  { ID, Status }: Task,
  lines: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (Status.ContainerStatus === undefined) return ''
  return tailOf(client, `/tasks/${ID}/logs`, signal, { lines })
}

/** How a task ended. `words`: what the Swarm says of it besides its exit code, empty if nothing. */
export type TaskEnd = { readonly exitCode?: number; readonly words: string }

/** Returns the end of a task that failed. Its words are not told if they only repeat the exit code. Pure. */
function endOfTask({ Status: { State, Err = '', ContainerStatus } }: Task): TaskEnd {
  const words = /^task: non-zero exit \(\d+\)$/.test(Err) ? '' : Err
  const { ExitCode = 0 } = ContainerStatus ?? {}
  return { words, ...(State === 'complete' || ExitCode !== 0 ? { exitCode: ExitCode } : {}) }
}

/** Returns the record of a task, as `tallyman show` prints it, which says so if its node does not say what it wrote. */
export async function recordOfTask(
  client: Client,
  service: ToldService,
  task: Task,
  { exitCode, words }: TaskEnd,
  signal: AbortSignal,
): Promise<PostMortem> {
  const hide = hideOf(client, service)
  const written = await writtenBy(client, task, mostLines, signal)
  const error = [excerpt(words, hide), written === undefined ? unreadLog : ''].filter(text => text !== '')
  return {
    container: service.Spec.Name,
    ...(exitCode === undefined ? {} : exitOf(exitCode)),
    // A manager does not tell it.
    oomKilled: false,
    ...(error.length === 0 ? {} : { error: error.join('; ') }),
    restarts: 0,
    checks: [],
    lines: lastOf(saidLines(written ?? '', hide)),
  }
}

/**
 * Notes the record of a task that failed, and returns the end of its last output, on one line; empty if it wrote none.
 * Never fails, because the caller has a failure to report already.
 */
export async function lastWordsOf(
  client: Client,
  service: ToldService,
  task: Task,
  note: Note,
): Promise<string> {
  try {
    const record = await recordOfTask(client, service, task, endOfTask(task), abortAfter(recordWithinMs))
    note(keptWords(record), record)
    return excerpt(record.lines.join('\n'), text => text)
  } catch {
    // A node that does not answer has nothing to add.
    return ''
  }
}
