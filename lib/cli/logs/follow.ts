import { toFailure } from '../../errors.ts'
import type { Logged, LogSpan } from '../../state/running/logged.ts'
import { sleep } from '../../wait/timer.ts'
import { listedOn } from './log-sites.ts'
import { type LogSink, type LogSite, type LogSource, mostAtOnce } from './log-source.ts'

export type Following = {
  readonly sites: readonly LogSite[]
  isMeant(one: Logged): boolean
  readonly span: Omit<LogSpan, 'follow'>
  /** What was read before: the time of the last line of each container, by its id. */
  readonly last: ReadonlyMap<string, string>
  /** The ids of the containers that were there before: `tail` is about them, and not about what comes later. */
  readonly before: ReadonlySet<string>
  readonly lookEveryMs: number
}

/**
 * Hands over what containers write, as they write it, until the signal aborts. Looks again and again which there
 * are, so that new ones are followed, too. What was missed while an engine was away comes once it answers again; that
 * it is away is told once.
 */
export async function followLogs(following: Following, sink: LogSink, signal: AbortSignal): Promise<void> {
  const readers = createReaders(following, sink, signal)
  await Promise.all(following.sites.map(site => lookAgain(site, following, readers.heed, sink, signal)))
  await readers.ended()
}

async function lookAgain(
  site: LogSite,
  { isMeant, lookEveryMs }: Following,
  heed: (site: LogSite, listed: readonly Logged[]) => void,
  sink: LogSink,
  signal: AbortSignal,
): Promise<void> {
  let isAway = false
  while (!signal.aborted) {
    try {
      const listed = await listedOn(site, signal)
      if (isAway) sink.note(`${site.site}: the engine answers again`)
      isAway = false
      heed(site, listed.filter(isMeant))
    } catch (error) {
      if (!isAway && !signal.aborted) sink.failure(toFailure(error))
      isAway = true
    }
    await sleep(lookEveryMs, signal).catch(() => undefined)
  }
}

/** What is known of a container: whether it is read now, was read since it ended, and cannot be read at all. */
type Known = { last?: string; isRead: boolean; isOver: boolean; isUnreadable: boolean }

function createReaders({ span, last, before }: Following, sink: LogSink, signal: AbortSignal) {
  const known = new Map<string, Known>()
  const siteOf = new Map<string, LogSite>()
  const reading = new Set<Promise<void>>()
  let isFullTold = false

  async function read(source: LogSource, own: Known): Promise<void> {
    const { tail, ...rest } = span
    const { id } = source.one
    const first = own.last === undefined && before.has(id) && tail !== undefined ? { tail } : {}
    const after = own.last === undefined ? {} : { after: own.last }
    try {
      for await (const line of source.site.log(id, { ...rest, ...first, ...after, follow: true }, signal)) {
        own.last = line.at
        await sink.line({ ...line, source })
      }
    } catch (error) {
      const failure = toFailure(error)
      // The next look tells of these.
      if (['interrupted', 'engine-unreachable', 'container-missing'].includes(failure.code)) return
      own.isUnreadable = true
      sink.failure(failure)
    } finally {
      own.isRead = false
    }
  }

  function begin(source: LogSource, own: Known): void {
    if (reading.size >= mostAtOnce) {
      if (!isFullTold)
        sink.note(
          `only ${mostAtOnce} containers are followed at a time; name a service or a site to follow others`,
        )
      isFullTold = true
      return
    }
    own.isRead = true
    own.isOver = !isUp(source.one)
    const work = read(source, own).finally(() => reading.delete(work))
    reading.add(work)
  }

  return {
    heed(site: LogSite, listed: readonly Logged[]): void {
      for (const one of listed) {
        const at = last.get(one.id)
        const own = known.get(one.id) ?? {
          ...(at === undefined ? {} : { last: at }),
          ...{ isRead: false, isOver: false, isUnreadable: false },
        }
        known.set(one.id, own)
        siteOf.set(one.id, site)
        if (isUp(one)) own.isOver = false
        if (!own.isRead && !own.isOver && !own.isUnreadable) begin({ site, one }, own)
      }
      const there = new Set(listed.map(({ id }) => id))
      for (const [id, own] of known)
        if (siteOf.get(id) === site && !own.isRead && !there.has(id)) {
          known.delete(id)
          siteOf.delete(id)
        }
    },
    ended: () => Promise.all(reading),
  }
}

function isUp({ state }: Logged): boolean {
  return state === 'running' || state === 'paused' || state === 'restarting'
}
