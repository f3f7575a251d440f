import { steadyMs, timeOfDayMs } from '../clock.ts'
import { later } from '../timer.ts'

/** How often it is looked whether the clock was put forward or back. */
const lookMs = 30_000
/** Clocks are put right by a little all the time. */
const forgivenMs = 2_000

/**
 * Calls back whenever the time of day matches the expression, until the function that it gives is called. Where the
 * clock was put forward or back, the next time is worked out anew, and one call makes up for what was due meanwhile:
 * the library's own timer would wait until its next time comes again, or tell of each one that was left out.
 */
export async function startCron(expression: string, onTime: () => void): Promise<() => void> {
  const { createTask } = await import('node-cron')
  const task = createTask(expression, onTime)
  const offsetMs = () => timeOfDayMs() - steadyMs()
  const nextTime = () => ({ dueMs: task.getNextRuns(1)[0]?.getTime() ?? Infinity, offsetMs: offsetMs() })
  let next = nextTime()
  const look = () => {
    const isPut = Math.abs(offsetMs() - next.offsetMs) >= forgivenMs
    if (isPut || timeOfDayMs() >= next.dueMs) {
      next = nextTime()
      onTime()
    }
    timer = later(Math.min(lookMs, Math.max(0, next.dueMs - timeOfDayMs())), look)
  }
  let timer = later(0, look)
  return () => {
    timer.cancel()
    void task.destroy()
  }
}
