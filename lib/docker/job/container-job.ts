import { optional } from '../../object.ts'
import type { Identity } from '../../state/identity.ts'
import { label, labelOf } from '../../state/labels.ts'
import { isoText } from '../../text/time.ts'
import type { Client } from '../api/client.ts'
import {
  hasEnded,
  type Inspected,
  inspectExisting,
  isContainerUp,
  startedAtMs,
} from '../container/inspect/inspect.ts'
import { type Bounds, excerpt, hiding } from '../container/output/excerpt.ts'
import { logTail } from '../container/output/log-tail.ts'
import { notePostMortem } from '../container/post-mortem/post-mortem.ts'
import { startContainer } from '../steps/container/start-container.ts'
import { stopWithin } from '../steps/container/stop-container.ts'
import { clockMs } from '../steps/container/uptime.ts'
import { jobGraceMs, type RunnableJob, type SeenJob } from './job.ts'

/** How much of the output of a job is noted. */
export const output: Bounds = { lines: 50, characters: 2_000 }

/** Returns the job that a container of the owner is. */
export function containerJob(client: Client, name: string, owner: Identity): RunnableJob {
  const inspected = (signal: AbortSignal) => inspectExisting(client, name, signal)
  return {
    name,
    site: client.site,
    look: async signal => seen(await inspected(signal), client),
    clockMs: signal => clockMs(client, signal),
    start: (signal, note) => startContainer(client, { container: name }, owner, signal, note),
    async output(before, signal) {
      const there = await inspected(signal)
      const since =
        before?.hasEnded && before.startedAtMs !== undefined ? { since: betweenTries(before.endedAt) } : {}
      const said = await logTail(client, there.Id, signal, { lines: output.lines, ...since })
      return said === undefined ? undefined : excerpt(said, hiding(client.redact, there.Config.Env), output)
    },
    stop: async signal => stopWithin(client, await inspected(signal), jobGraceMs, signal),
    // An engine removes no container before it has ended.
    awaitRemoved: async () => {},
    notePostMortem: note => notePostMortem(client, name, note),
  }
}

function seen(there: Inspected, { redact }: Client): SeenJob {
  const { ExitCode: exitCode, Error: error, FinishedAt: endedAt } = there.State
  const role = labelOf(there.Config.Labels, label.role)
  return {
    isUp: isContainerUp(there),
    hasEnded: hasEnded(there),
    createdAtMs: Date.parse(there.Created),
    ...optional('startedAtMs', startedAtMs(there)),
    exitCode,
    error: error === '' ? '' : excerpt(error, hiding(redact, there.Config.Env), output),
    endedAt,
    isDeploy: role === 'deploy',
    isInit: role === 'init',
  }
}

const beforeNextMs = 500

/**
 * Returns a moment after everything that a try wrote, and before the next one writes. The engine dates what it reads,
 * which may be a little after the container's end, and a container may write before the engine says that it started.
 */
function betweenTries(endedAt: string): string {
  return isoText(Date.parse(endedAt) + beforeNextMs)
}
