import type { LiveContainer } from './live.ts'

/** How well something runs. Health is never merged with sync. */
export type HealthStatus = 'Healthy' | 'Progressing' | 'Degraded' | 'Missing' | 'Suspended' | 'Unknown'

/** Whether the live state matches the desired state. */
export type SyncStatus = 'Synced' | 'OutOfSync' | 'Unknown'

/** From worst to best: the health of a whole is that of its worst part. */
const worstFirst: readonly HealthStatus[] = [
  'Unknown',
  'Missing',
  'Degraded',
  'Progressing',
  'Suspended',
  'Healthy',
]

/** Returns the worst of these health statuses; `Healthy` if there are none. */
export function worstHealth(parts: readonly HealthStatus[]): HealthStatus {
  return worstFirst.find(status => parts.includes(status)) ?? 'Healthy'
}

/** Returns the health of one observed container. */
export function containerHealth({ state, health, exitCode, role, isDone }: LiveContainer): HealthStatus {
  if (isDone) return exitCode === 0 ? 'Healthy' : 'Degraded'
  if (role === 'init') return state === 'exited' && exitCode !== 0 ? 'Degraded' : 'Healthy'
  switch (state) {
    case 'running':
      return health === 'unhealthy' ? 'Degraded' : health === 'starting' ? 'Progressing' : 'Healthy'
    case 'created':
      return 'Progressing'
    case 'restarting':
    case 'dead':
      return 'Degraded'
    case 'paused':
      return 'Suspended'
    case 'removing':
      return 'Missing'
    case 'exited':
      return exitCode === 0 ? 'Missing' : 'Degraded'
  }
}
