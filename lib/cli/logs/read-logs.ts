import type { LogSpan } from '../../state/running/logged.ts'
import { readAddress } from './address.ts'
import { followLogs } from './follow.ts'
import { sourcesOn } from './log-sites.ts'
import type { LogSink, LogSite } from './log-source.ts'
import { sayPast } from './past.ts'

export type LogRequest = {
  readonly sites: readonly LogSite[]
  /** As a person wrote it. */
  readonly address: string
  /** The environment that is meant if none is written. */
  readonly environment: string | undefined
  readonly span: LogSpan
  /** How often it is looked for new containers, in ms; absent: every second. */
  readonly lookEveryMs?: number
}

/**
 * Hands over what the containers of an application wrote, and, if they are followed, what they write until the signal
 * aborts. `sinkFor` is told whether more than one container may be in it. Returns whether everything could be read.
 * Fails with `wrong-usage` if nothing has that address and all sites said what they have, or with `interrupted`.
 */
export async function readLogs(
  {
    sites,
    address: written,
    environment,
    span: { follow: isFollowed, ...span },
    lookEveryMs = 1_000,
  }: LogRequest,
  sinkFor: (hasSeveral: boolean) => LogSink,
  signal: AbortSignal,
): Promise<boolean> {
  let isWhole = true
  const told = new Set<string>()
  const noting = (sink: LogSink): LogSink => ({
    ...sink,
    failure: failure => {
      isWhole = false
      // What is wrong with a container is told once. An engine may be away again and again.
      if (!told.has(failure.message) || failure.code === 'engine-unreachable') sink.failure(failure)
      told.add(failure.message)
    },
  })
  const all = await sourcesOn(sites, noting(sinkFor(true)), signal)
  const isMeant = readAddress(
    all.map(({ one }) => one),
    written,
    environment,
    isWhole,
  )
  const chosen = all.filter(({ one }) => isMeant(one))
  const sink = noting(sinkFor(isFollowed || chosen.length > 1))
  const last = await sayPast(chosen, span, sink, signal)
  if (!isFollowed) return isWhole
  const before = new Set(chosen.map(({ one }) => one.id))
  await followLogs({ sites, isMeant, span, last, before, lookEveryMs }, sink, signal)
  return true
}
