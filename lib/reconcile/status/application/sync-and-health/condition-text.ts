import { largestOf } from '../../../../numbers.ts'
import type { LiveContainer, LiveService } from '../../../../state/running/live.ts'
import { longestUptimeMs } from '../../../../state/running/uptime.ts'
import { taskCountText } from '../task-count-text.ts'

/** Returns what is to be said of the containers of an application as they are; undefined: nothing (G13, X5). */
export function conditionOf(live: readonly LiveContainer[]): string | undefined {
  const apps = live.filter(({ role }) => role === 'app')
  const done = apps.filter(({ isDone }) => isDone)
  const said = [
    ...done.flatMap(({ container, exitCode }) =>
      exitCode === 0 ? [] : [`${container} has ended with exit code ${exitCode}, and is not started again`],
    ),
    ...apps.flatMap(({ service, container, state, health, runs }) => {
      if (runs !== undefined) return taskWords(service, runs)
      if (state === 'restarting') return [`${container} ends again and again, and the engine starts it anew`]
      return state === 'running' && health === 'unhealthy' ? [`the health check of ${container} fails`] : []
    }),
  ]
  if (said.length > 0) return [...new Set(said)].join('; ')
  if (done.length === 0) return undefined
  return done.length === apps.length
    ? 'complete'
    : `has run to its end: ${[...new Set(done.map(({ container }) => container))].join(', ')}`
}

/**
 * Returns how often the engine has started a container of an application again because it had ended, the most of all that
 * have not run for a day since; undefined: none is known (G13).
 */
export function restartsOf(live: readonly LiveContainer[]): number | undefined {
  const again = live.filter(({ restarts = 0 }) => restarts > 0)
  const isRecent = ({ status }: LiveContainer) => (longestUptimeMs(status) ?? 0) < 24 * 60 * 60 * 1000
  const most = largestOf(again.filter(isRecent), ({ restarts = 0 }) => restarts)
  return most === 0 ? undefined : most
}

/** Says of a service of a Swarm how many of its tasks run, and why not all do. */
function taskWords(service: string, { running, wanted, why, update }: LiveService): readonly string[] {
  if (running >= wanted && update !== 'paused') return why ? [`${service}: ${why}`] : []
  const paused = update === 'paused' ? ['the Swarm has paused its update'] : []
  const short = running < wanted ? [taskCountText({ service, running, wanted })] : []
  return [[...short, ...paused].join(', ') + (why ? `: ${why}` : '')]
}
