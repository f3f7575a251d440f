import { expect } from 'chai'
import type { RunnableJob, SeenJob } from '../../../../lib/docker/job/job.ts'
import { runToEnd } from '../../../../lib/docker/job/run-to-end.ts'
import type { Failure } from '../../../../lib/errors.ts'
import { inPassingTime } from '../../../support/time/passing-time.ts'

const { signal } = new AbortController()
const nowMs = Date.parse('2026-03-01T12:00:00Z')
const hourMs = 3_600_000
const ended: SeenJob = {
  ...{ isUp: false, hasEnded: true, exitCode: 0, error: '', endedAt: '' },
  ...{ createdAtMs: nowMs - 2 * hourMs, isDeploy: false, isInit: false },
}
/** The engine could not start it. */
const neverRan: SeenJob = { ...ended, exitCode: 127, error: 'its network is gone' }

/** What comes of a hook that was seen like this, and that ends well at the second look after its start. */
async function comesOf(
  found: SeenJob,
  step: { readonly timeoutMs: number; readonly lastedMs: number },
): Promise<{ readonly end: string; readonly calls: readonly string[] }> {
  const calls: string[] = []
  let seen = found
  const job: RunnableJob = {
    ...{ name: 'prod.web.mid', site: 'local' },
    async look() {
      const now = seen
      if (now.isUp) seen = { ...ended, startedAtMs: nowMs }
      return now
    },
    clockMs: async () => nowMs,
    start: async () => {
      calls.push('start')
      seen = { ...ended, isUp: true, hasEnded: false, startedAtMs: nowMs }
    },
    output: async () => '',
    stop: async () => void calls.push('stop'),
    awaitRemoved: async () => {},
    notePostMortem: async () => {},
  }
  const run = { do: 'run-to-end', container: job.name, onFailure: 'retry', ...step } as const
  const { end } = await inPassingTime(() =>
    runToEnd(job, run, signal, () => {}).then(
      () => 'done',
      (error: Failure) => error.message,
    ),
  )
  return { end, calls }
}

describe('the time that a job has', () => {
  it('H4 H22 is all of it where the engine could not start the job before, however long ago', async () => {
    const step = { timeoutMs: 600_000, lastedMs: hourMs }
    expect(await comesOf(neverRan, step)).to.deep.equal({ end: 'done', calls: ['start'] })
  })

  it('H24 is over before the pause between two tries is: nothing is started any more', async () => {
    const found = { ...ended, exitCode: 3, startedAtMs: nowMs - hourMs }
    expect(await comesOf(found, { timeoutMs: hourMs + 100, lastedMs: 0 })).to.deep.equal({
      end: 'local: prod.web.mid: did not finish within 3600.1 s; an earlier try failed with exit code 3',
      calls: [],
    })
  })
})
