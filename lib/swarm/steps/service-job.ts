import type { Client } from '../../docker/api/client.ts'
import { excerpt } from '../../docker/container/output/excerpt.ts'
import { keptWords, recordWithinMs } from '../../docker/container/post-mortem/record.ts'
import { output } from '../../docker/job/container-job.ts'
import { jobGraceMs, type RunnableJob, type SeenJob } from '../../docker/job/job.ts'
import { clockMs } from '../../docker/steps/container/uptime.ts'
import { Failure } from '../../errors.ts'
import { optional } from '../../object.ts'
import type { Identity } from '../../state/identity.ts'
import { label, labelOf } from '../../state/labels.ts'
import type { PostMortem } from '../../state/pass/post-mortem.ts'
import { poll } from '../../wait/poll.ts'
import { timeout as abortAfter } from '../../wait/timer.ts'
import type { Task, ToldService } from '../api/service.ts'
import { hasTaskEnded } from '../observe/task/standing.ts'
import { type JobTry, lastTryOf, waitOfTry } from '../observe/task/try-of-job.ts'
import { findService, tasksOf } from '../service/find.ts'
import { anotherTry, noMoreTries } from '../service/service-spec.ts'
import { hideOf, recordOfTask, writtenBy } from '../service/task-record.ts'
import { changeService } from '../service/tell.ts'
import { hasRemovedJobEnded } from './removed-job.ts'

/** How long its task may take to be gone after the time that it has to end by itself. */
const goneWithinMs = 30_000

/** A job as its manager tells it, and its last try. */
type Told = { readonly service: ToldService; readonly lastTry: JobTry }

/** Returns the job that a service of the owner is. Its tasks may be on any node. */
export function serviceJob(client: Client, name: string, owner: Identity): RunnableJob {
  const told = async (signal: AbortSignal): Promise<Told> => {
    const service = await findService(client, name, owner, signal)
    if (service === undefined)
      throw new Failure('container-missing', `${client.site}: ${name}: it is gone`, { resource: name })
    return { service, lastTry: lastTryOf(service, await tasksOf(client, service, signal)) }
  }
  /** Of a task that was stopped, because the Swarm forgets it with what it wrote. */
  let stopped: PostMortem | undefined
  return {
    name,
    site: client.site,
    look: async signal => seen(await told(signal), client),
    clockMs: signal => clockMs(client, signal),
    async start(signal) {
      const { service } = await told(signal)
      await changeService(client, service, anotherTry(service.Spec), signal)
    },
    async output(_, signal) {
      const { service, lastTry } = await told(signal)
      const task = taskOf(lastTry)
      if (task === undefined) return ''
      const said = await writtenBy(client, task, output.lines, signal)
      return said === undefined ? undefined : excerpt(said, hideOf(client, service), output)
    },
    async stop(signal) {
      const { service, lastTry } = await told(signal)
      if (lastTry.state !== 'up') return
      stopped = await recordOf(client, { service, lastTry }, signal)
      await changeService(client, service, noMoreTries(service.Spec), signal)
      const hasEnded = async () =>
        (await tasksOf(client, service, signal)).every(hasTaskEnded) ? true : undefined
      await poll(`${client.site}: ${name}`, hasEnded, jobGraceMs + goneWithinMs, signal)
    },
    async awaitRemoved(signal) {
      await hasRemovedJobEnded(client, name, signal)
    },
    async notePostMortem(note) {
      try {
        const signal = abortAfter(recordWithinMs)
        const record = stopped ?? (await recordOf(client, await told(signal), signal))
        if (record !== undefined) note(keptWords(record), record)
      } catch {
        // A manager that does not answer has nothing to add.
      }
    },
  }
}

function seen({ service, lastTry }: Told, client: Client): SeenJob {
  const hasRun = lastTry.state === 'up' || (lastTry.state === 'ended' && lastTry.hasRun)
  const begun = hasRun ? taskOf(lastTry)?.CreatedAt : undefined
  return {
    isUp: lastTry.state === 'up',
    hasEnded: lastTry.state === 'ended',
    ...optional('createdAtMs', msOf(service.CreatedAt)),
    ...optional('startedAtMs', msOf(begun)),
    exitCode: lastTry.state === 'ended' ? lastTry.exitCode : 0,
    error: lastTry.state === 'ended' ? excerpt(lastTry.words, hideOf(client, service), output) : '',
    ...optional('endedBy', lastTry.state === 'ended' ? lastTry.endedBy : undefined),
    ...optional('waitsFor', waitOfTry(lastTry)),
    endedAt: taskOf(lastTry)?.Status.Timestamp ?? '',
    isDeploy: labelOf(service.Spec.Labels, label.role) === 'deploy',
    isInit: false,
  }
}

function msOf(time: string | undefined): number | undefined {
  return time === undefined ? undefined : Date.parse(time)
}

function taskOf(lastTry: JobTry): Task | undefined {
  return lastTry.state === 'created' ? undefined : lastTry.task
}

/** Undefined if the job was never told to run. */
async function recordOf(
  client: Client,
  { service, lastTry }: Told,
  signal: AbortSignal,
): Promise<PostMortem | undefined> {
  const task = taskOf(lastTry)
  if (task === undefined) return undefined
  const words = lastTry.state === 'ended' ? (lastTry.endedBy ?? lastTry.words) : ''
  const end = lastTry.state === 'ended' && words === '' ? { exitCode: lastTry.exitCode, words } : { words }
  return recordOfTask(client, service, task, end, signal)
}
