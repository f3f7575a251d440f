import type { Healthcheck } from '../../../state/application/container/container.ts'
import { secondsText } from '../../../text/time.ts'
import type { Container } from '../../application.gen.ts'
import { type NetworkProbes, probeKinds } from '../../probes/probe.ts'
import type { Spot } from '../../spot.ts'

/** How long an instance may take to pass its health gate, and the checks of a container that decide. */
export type HealthGate = {
  readonly timeoutMs: number
  readonly healthcheck: Healthcheck | undefined
  readonly probes: NetworkProbes
}

/**
 * Notes a fault for checks that give no result in time, because the first one would come after the end of the gate. An
 * engine makes the first check after one interval, and newer ones sooner if there is a start period.
 */
export function faultLateChecks(
  written: Container,
  { timeoutMs, healthcheck, probes }: HealthGate,
  spot: Spot,
): void {
  if (healthcheck?.kind === 'command' && healthcheck.startPeriodMs === undefined) {
    const { intervalMs = 0 } = healthcheck
    if (intervalMs >= timeoutMs) fault(intervalMs, placeOfInterval(written, spot))
  }
  const { startup, readiness } = probes
  if (startup !== undefined && startup.delay * 1000 >= timeoutMs)
    fault(startup.delay * 1000, spot.at('probes', 'startup'))
  if (readiness === undefined) return
  const readyMs =
    1000 * ((startup?.delay ?? 0) + readiness.delay + (readiness.successes - 1) * readiness.period)
  if (readyMs >= timeoutMs) fault(readyMs, spot.at('probes', 'readiness'))

  function fault(ms: number, at: Spot): void {
    at.fault(
      `says that the container is healthy after ${secondsText(ms)} at the earliest, and its gate is over after ${secondsText(timeoutMs)}; look sooner, or raise timeoutSeconds of the strategy`,
    )
  }
}

function placeOfInterval({ healthcheck, probes = {} }: Container, spot: Spot): Spot {
  if (healthcheck !== undefined) return spot.at('healthcheck', 'interval')
  const kind = probeKinds.find(one => probes[one]?.command !== undefined) ?? 'liveness'
  return spot.at('probes', kind, 'period')
}
