import { once } from 'node:events'
import { readdir, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import pLimit from 'p-limit'
import type { Config } from '../config.ts'
import { type Failure, toFailure } from '../errors.ts'
import { watchDirectory } from '../git/directory/watch-directory.ts'
import { type LinkedAbort, linkedAbort } from '../wait/linked-abort.ts'
import { later } from '../wait/timer.ts'

/** When a daemon looks at its configuration besides when a change is seen. Both call back each time. */
export type Occasions = {
  /** Somebody asks for that, such as by SIGHUP: it is read. */
  onAsked?(again: () => void): void
  /** It is the time for a poll: it is read if it looks otherwise than at the last one. */
  onPoll(look: () => Promise<void>): void
}

/** A file that is being written is seen several times. One look is enough for all of them. */
const settleMs = 200

/**
 * Watches the configuration and the directory of sites until the signal aborts, and calls `read` after changes and on
 * these occasions, once for all that come within a moment, and again after another one if what it read does not count.
 * Links are followed. Where a link leads elsewhere by now, or another directory has the name, that is watched from the
 * next poll on. Never rejects: what cannot be watched is told once and seen with a poll, and it is tried again from then on.
 */
export async function watchConfiguration(
  { origin: { file }, sitesDirectory }: Pick<Config, 'origin' | 'sitesDirectory'>,
  read: () => boolean,
  { onAsked, onPoll }: Occasions,
  tell: (failure: Failure) => void,
  signal: AbortSignal,
): Promise<void> {
  let settling: { cancel(): void } | undefined
  const settle = () => {
    settling?.cancel()
    if (signal.aborted) return
    settling = later(settleMs, () => {
      if (!read()) settle()
    })
  }
  signal.addEventListener('abort', () => settling?.cancel(), { once: true })
  onAsked?.(settle)
  const places = [file, sitesDirectory].filter(place => place !== undefined)
  if (places.length === 0) return
  let watching: { readonly where: string; readonly round: LinkedAbort; hasFailed: boolean } | undefined
  const told = new Set<string>()
  let known: string | undefined
  let isLooking = false
  onPoll(async () => {
    // A file system that answers slowly is not asked twice at once.
    if (isLooking) return
    isLooking = true
    const { where, content } = await lookAt(places)
    isLooking = false
    if (watching?.hasFailed || where !== watching?.where) watching?.round.abort()
    if (content !== known) settle()
    known = content
  })
  while (!signal.aborted) {
    const { where } = await lookAt(places)
    using round = linkedAbort(signal)
    const own = { where, round, hasFailed: false }
    watching = own
    const watch = (place: string) =>
      watchDirectory(place, settle, round.signal, ownPlace).catch(error => {
        own.hasFailed = true
        const failure = toFailure(error)
        if (!told.has(failure.message)) tell(failure)
        told.add(failure.message)
      })
    const over = round.signal.aborted ? undefined : once(round.signal, 'abort')
    await Promise.all([over, ...places.map(watch)])
  }
}

/** What is below the directories in that of sites is never read. */
const ownPlace = { followSymlinks: true, depth: 0 } as const

/** Two texts: one changes with what the places lead to, the other also with what is there. */
type Look = { readonly where: string; readonly content: string }

async function lookAt(places: readonly string[]): Promise<Look> {
  const where = await Promise.all(places.map(whereIs))
  const within = await Promise.all(places.map(marksIn))
  return { where: where.join('\n'), content: [...where, ...within].join('\n') }
}

async function whereIs(place: string): Promise<string> {
  const [path, mark] = await Promise.all([
    realpath(place).catch(() => ''),
    stat(place).catch(() => undefined),
  ])
  return `${path} ${mark?.dev} ${mark?.ino}`
}

/** Returns what tells the content of a file, or of the files in a directory. */
async function marksIn(place: string): Promise<string> {
  const names = await readdir(place).catch(() => [])
  const paths = names.length === 0 ? [place] : names.sort().map(name => join(place, name))
  return (await pLimit(16).map(paths, markAt)).join('\n')
}

async function markAt(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined)
  return [path, found?.dev, found?.ino, found?.size, found?.mtimeMs, found?.ctimeMs].join(' ')
}
