import type { Settings } from '../../state/running/settings.ts'

/** What a closer look at a container showed, and when. */
export type Look = {
  /** On the steady clock. */
  readonly atMs: number
  /** What the list showed of it then. With another mark it has changed. */
  readonly mark: string
  readonly settings: Settings
  /** How often the engine had started it again because it had ended. */
  readonly restarts: number
  /** It had run to its end: how, and in which start of which sandbox. As long as these are the same, so is that. */
  readonly end?: string
}

/**
 * The last closer look at each container, by the beginning of its id. Losing it costs only time. There are twenty for
 * each of thousands of sites.
 */
export type Looks = Map<string, Look>

/** Returns the beginning of an id of an engine, which are random: nobody keeps more of the text. */
export function shortId(id: string): string {
  // A longer piece would be a part of the text, and keep all of it.
  return id.slice(0, 12)
}

/** Returns the last closer look at a container; undefined: there was none, or it is forgotten. */
export function lookAt(id: string, looks: ReadonlyMap<string, Look>): Look | undefined {
  return looks.get(shortId(id))
}

/** Remembers what a closer look at a container showed. */
export function keepLook(id: string, look: Look, looks: Looks): void {
  looks.set(shortId(id), look)
}

/** Forgets what a closer look at a container showed. */
export function forgetLook(id: string, looks: Looks): void {
  looks.delete(shortId(id))
}

/** The time on both clocks. */
export type Now = { readonly steadyMs: number; readonly ofDayMs: number }

/** How long a look counts if no event about the container arrives. */
const worthMs = 60 * 60 * 1000
/** How many containers are inspected because their time has come. Each takes about a millisecond. */
const most = 64

/**
 * Returns the containers that are due for a look, at most 64: first those that changed, then those that were never
 * inspected or are forgotten, and then those that were not inspected for an hour. If too many were never inspected, the
 * time of day decides where to begin, so that processes that look once see all of them in turn.
 */
export function dueOf(
  there: readonly Marked[],
  looks: ReadonlyMap<string, Look>,
  { steadyMs, ofDayMs }: Now,
): readonly string[] {
  const unseen: Marked[] = []
  const other: Marked[] = []
  const old: { readonly id: string; readonly atMs: number }[] = []
  for (const one of there) {
    const look = lookAt(one.id, looks)
    if (look === undefined) unseen.push(one)
    else if (look.mark !== one.mark) other.push(one)
    else if (steadyMs - look.atMs >= worthMs) old.push({ id: one.id, atMs: look.atMs })
  }
  const first = unseen.length === 0 ? 0 : (Math.floor(ofDayMs / 60_000) * most) % unseen.length
  old.sort((a, b) => a.atMs - b.atMs)
  const inOrder = [...other, ...unseen.slice(first), ...unseen.slice(0, first), ...old]
  return inOrder.slice(0, most).map(({ id }) => id)
}

/** A container, and the part of the list that changes when it is attached to other networks. */
export type Marked = { readonly id: string; readonly mark: string }

/** Returns what is known of an unchanged container; undefined if it has to be inspected first. */
export function knownLook({ id, mark }: Marked, looks: ReadonlyMap<string, Look>): Look | undefined {
  const look = lookAt(id, looks)
  return look?.mark === mark ? look : undefined
}

/** Drops containers that were not inspected for so long that they must be gone. */
export function forgetGone(looks: Looks, steadyMs: number): void {
  for (const [id, { atMs }] of looks) if (steadyMs - atMs > 24 * worthMs) looks.delete(id)
}
