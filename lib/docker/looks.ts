import type { Settings } from '../state/settings.ts'

/** What a closer look at a container showed, and when. */
export type Look = {
  /** By `steadyMs()`. */
  readonly atMs: number
  /** What the list showed of it then: with another mark it is not what it was. */
  readonly mark: string
  readonly settings: Settings
}

/** The last closer look at each container, by its id. Losing it costs time, nothing else. */
export type Looks = Map<string, Look>

/** What both clocks say. */
export type Now = { readonly steadyMs: number; readonly ofDayMs: number }

/** How long a look is worth something where nothing is heard of the container. */
const worthMs = 60 * 60 * 1000
/** How many containers are looked at because their time has come: about a millisecond each. */
const most = 64

/**
 * Whose turn it is to be looked at, at most 64: first what is not as it was, then what was never looked at or is
 * forgotten, and then what was not looked at for an hour. Where more were never looked at, the time of day says with whom
 * to begin, so that processes that look once come to all of them in turn.
 */
export function dueOf(
  there: readonly Marked[],
  looks: ReadonlyMap<string, Look>,
  { steadyMs, ofDayMs }: Now,
): readonly string[] {
  const known = there.flatMap(one => {
    const look = looks.get(one.id)
    return look === undefined ? [] : [{ id: one.id, look, isSame: look.mark === one.mark }]
  })
  const unseen = there.filter(({ id }) => !looks.has(id))
  const first = unseen.length === 0 ? 0 : (Math.floor(ofDayMs / 60_000) * most) % unseen.length
  const old = known
    .filter(({ isSame, look }) => isSame && steadyMs - look.atMs >= worthMs)
    .sort((a, b) => a.look.atMs - b.look.atMs)
  const other = known.filter(({ isSame }) => !isSame)
  const inOrder = [...other, ...unseen.slice(first), ...unseen.slice(0, first), ...old]
  return inOrder.slice(0, most).map(({ id }) => id)
}

/** A container, and what the list shows of it that changes when it is attached otherwise. */
export type Marked = { readonly id: string; readonly mark: string }

/** What is known of a container that is still what it was; undefined where it is to be looked at first. */
export function settingsOf({ id, mark }: Marked, looks: ReadonlyMap<string, Look>): Settings | undefined {
  const look = looks.get(id)
  return look?.mark === mark ? look.settings : undefined
}

/** Drops what was not looked at for so long that it must be gone. */
export function forgetGone(looks: Looks, steadyMs: number): void {
  for (const [id, { atMs }] of looks) if (steadyMs - atMs > 24 * worthMs) looks.delete(id)
}
