import { Failure } from '../../errors.ts'
import { poll } from '../../wait/poll.ts'
import type { RunnableJob } from './job.ts'

/** Waits until a job no longer runs, or is gone, without a limit (P7). */
export async function awaitEnd(
  job: Pick<RunnableJob, 'name' | 'site' | 'look'>,
  signal: AbortSignal,
): Promise<void> {
  const over = async () => {
    try {
      return (await job.look(signal)).isUp ? undefined : true
    } catch (error) {
      if (error instanceof Failure && error.code === 'container-missing') return true
      throw error
    }
  }
  await poll(`${job.site}: ${job.name}`, over, Number.POSITIVE_INFINITY, signal)
}
