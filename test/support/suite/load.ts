import { spawnSync } from 'node:child_process'
import { availableParallelism, loadavg } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'

/** So many processes for each processor want to run where five lanes keep a slow machine from its work. */
const mostForEach = 6

/**
 * Waits as long as far more processes want to run than can, as `make --load-average` does: on a slow machine an engine
 * would give up what it asks of a registry. `isNeeded` says when to wait no longer, however that is.
 */
export async function untilThereIsRoom(isNeeded: () => boolean): Promise<void> {
  const most = mostForEach * availableParallelism()
  for (let [lastMinute = 0] = loadavg(); lastMinute > most && !isNeeded(); [lastMinute = 0] = loadavg())
    await pause(1_000)
}

/** A machine on which an empty program of Node.js needs more than this is several times slower than most. */
const longStartMs = 75

/** Whether processes take long to start on this machine, which is what most tests spend their time on. */
export function isSlow(): boolean {
  const startsMs = Array.from({ length: 5 }, () => {
    const beganMs = performance.now()
    spawnSync(process.execPath, ['-e', '0'])
    return performance.now() - beganMs
  })
  return Math.min(...startsMs) > longStartMs
}
