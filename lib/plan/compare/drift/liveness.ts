import type { Container } from '../../../state/application/container/container.ts'
import type { LiveContainer } from '../../../state/running/live.ts'

/**
 * Returns whether the probes of an instance say that a container is no longer alive (A44). The sandbox's health check
 * reports `restart <container> <unix seconds> <words>`. A report that is older than the container's last start has been
 * handled already. A liveness probe that is a command is the container's own health check.
 */
export function livenessOf(
  { container, state, health, checkOutput, startedAtMs }: LiveContainer,
  spec: Container | undefined,
  reports: readonly string[],
): { readonly is: 'not-alive'; readonly words: string } | undefined {
  if (state !== 'running') return undefined
  if (health === 'unhealthy' && spec?.liveness === 'command')
    return { is: 'not-alive', words: checkOutput?.split('\n')[0] ?? '' }
  for (const line of reports) {
    const [, name, seconds, words = ''] = /^restart (\S+) (\d+) (.*)$/.exec(line) ?? []
    if (name === container && Number(seconds) * 1000 > (startedAtMs ?? 0)) return { is: 'not-alive', words }
  }
  return undefined
}
