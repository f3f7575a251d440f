import { label, labelOf } from '../../../state/labels.ts'
import type { PostMortem } from '../../../state/pass/post-mortem.ts'
import { timeout as abortAfter } from '../../../wait/timer.ts'
import type { Client } from '../../api/client.ts'
import { listContainers } from '../../observe/list-containers.ts'
import { engineNameOf } from '../../observe/live-container.ts'
import { hasEnded, type Inspected, inspectContainer } from '../inspect/inspect.ts'
import { excerpt, hiding, saidLines } from '../output/excerpt.ts'
import { logTail, unreadLog } from '../output/log-tail.ts'
import { exitOf, keptWords, lastOf, mostLines, recordWithinMs } from './record.ts'

/** Receives what happens during a step: in words, and the record of a container that failed. */
export type Note = (words: string, postMortem?: PostMortem) => void

const check = { lines: 10, characters: 1_000 }

/**
 * Notes the record of a failed container while it exists. A sandbox only reports what is wrong in it, so all containers
 * in it are recorded instead. `end`: how it was seen to end, if it runs again by now. Never fails, because the caller
 * has a failure to report already.
 */
export async function notePostMortem(
  client: Client,
  container: string,
  note: Note,
  end?: Inspected,
): Promise<void> {
  try {
    const signal = abortAfter(recordWithinMs)
    const failed = await inspectContainer(client, container, signal)
    if (failed === undefined) return
    const isSandbox = labelOf(failed.Config.Labels, label.role) === 'sandbox'
    const all = isSandbox ? await membersOf(client, failed, signal) : [failed]
    for (const there of all) {
      const postMortem = await postMortemOf(client, there, isSandbox ? there : (end ?? there), signal)
      note(keptWords(postMortem), postMortem)
    }
  } catch {
    // An engine that does not answer has nothing to add.
  }
}

async function postMortemOf(
  client: Client,
  there: Inspected,
  end: Inspected,
  signal: AbortSignal,
): Promise<PostMortem> {
  const hide = hiding(client.redact, there.Config.Env)
  const written = await logTail(client, there.Id, signal, { lines: mostLines })
  const { ExitCode, OOMKilled, Error: error, Health } = end.State
  const words = [excerpt(error, hide, check), written === undefined ? unreadLog : ''].filter(
    text => text !== '',
  )
  return {
    container: (there.Name ?? there.Id).replace(/^\//, ''),
    ...(hasEnded(end) || end.State.Status === 'restarting' ? exitOf(ExitCode) : {}),
    oomKilled: OOMKilled,
    ...(words.length === 0 ? {} : { error: words.join('; ') }),
    restarts: there.RestartCount,
    checks: (Health?.Log ?? []).map(({ ExitCode: exitCode, Output }) => ({
      exitCode,
      output: excerpt(Output, hide, check),
    })),
    lines: lastOf(saidLines(written ?? '', hide)),
  }
}

/** Returns the containers that share an instance with a sandbox, without the sandbox and init containers. */
async function membersOf(
  client: Client,
  { Config: { Labels } }: Inspected,
  signal: AbortSignal,
): Promise<readonly Inspected[]> {
  const same = [
    label.environment,
    label.source,
    label.application,
    label.service,
    label.instance,
    label.fingerprint,
  ]
  const filters = { label: [...same.map(key => `${key}=${labelOf(Labels, key) ?? ''}`), `${label.role}=app`] }
  const listed = await listContainers(client, { all: 1, filters }, signal)
  const members = await Promise.all(
    listed.map(({ Names }) => inspectContainer(client, engineNameOf(Names), signal)),
  )
  return members.filter(one => one !== undefined)
}
