import type { Healthcheck } from '../../../state/application/container/container.ts'
import type { Container } from '../../application.gen.ts'
import { parseDuration } from '../../grammar/duration.ts'
import { present } from '../../present.ts'
import type { Spot } from '../../spot.ts'

type Written = NonNullable<Container['healthcheck']>

/** Reads Compose's `healthcheck`; absent if it sets nothing. A zero means the image's own value, as in the engine. */
export function readHealthcheck(written: Written, spot: Spot): Healthcheck | undefined {
  if (written.disable === true) {
    if (written.test !== undefined) spot.at('test').fault('stands beside "disable: true"; keep one of them')
    return { kind: 'none' }
  }
  const test = readTest(written.test, spot.at('test'))
  if (test?.[0] === 'NONE') return { kind: 'none' }
  const fields = present({
    test,
    intervalMs: readDelay(written.interval, spot.at('interval')),
    timeoutMs: readDelay(written.timeout, spot.at('timeout')),
    startPeriodMs: readDelay(written.start_period, spot.at('start_period')),
    startIntervalMs: readDelay(written.start_interval, spot.at('start_interval')),
    retries: written.retries === 0 ? undefined : written.retries,
  })
  return Object.keys(fields).length === 0 ? undefined : { kind: 'command', ...fields }
}

function readTest(
  written: string | readonly string[] | undefined,
  spot: Spot,
): readonly string[] | undefined {
  if (written === undefined) return undefined
  const test = typeof written === 'string' ? ['CMD-SHELL', written] : written
  const fault = faultOf(test)
  if (fault === undefined) return test
  spot.fault(fault)
  return undefined
}

function faultOf([kind, ...words]: readonly string[]): string | undefined {
  switch (kind) {
    case 'NONE':
      return words.length === 0 ? undefined : 'has words after NONE'
    case 'CMD':
      return words.length === 0 || words[0] === '' ? 'has no command after CMD' : undefined
    case 'CMD-SHELL':
      return words.length === 1 && words[0]?.trim() !== ''
        ? undefined
        : 'needs exactly one line after CMD-SHELL'
  }
  return 'has to begin with NONE, CMD or CMD-SHELL'
}

function readDelay(written: string | undefined, spot: Spot): number | undefined {
  if (written === undefined) return undefined
  const delayMs = spot.take(parseDuration(written))
  return delayMs === 0 ? undefined : delayMs
}
