import { steadyMs, timeOfDayMs } from '../clock.ts'
import { later } from '../wait/timer.ts'

/** How often it is checked whether the clock was set. */
const lookMs = 30_000
/** Clocks are corrected by small amounts all the time. */
const forgivenMs = 2_000

/**
 * Calls back whenever the time of day matches the expression, until the returned function is called. If the clock was
 * set forward or back, the next time is computed anew, and one call makes up for what was due meanwhile. The library's
 * own timer would wait until its next time comes again, or call for each time that was left out.
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
