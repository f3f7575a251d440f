/** Aborts its signal on demand, or together with another one. Disposing of it ends the latter, and nothing else. */
export type LinkedAbort = Disposable & {
  readonly signal: AbortSignal
  abort(reason?: unknown): void
}

/**
 * Creates a signal that aborts on demand, or as soon as one of the sources does, with its reason. Has to be disposed of
 * once nobody needs that any more, or a source that lives longer keeps it.
 *
 * The only place that derives a signal from another one. `AbortSignal.any` needs no disposing of, because it refers to
 * its signals weakly; but then each of them, and all that listens to it, such as a call with its answer, outlives the
 * collections of young objects. A daemon over many sites makes many calls, and would collect all its memory again and
 * again because of that.
 */
export function linkedAbort(...sources: readonly AbortSignal[]): LinkedAbort {
  const controller = new AbortController()
  const links = sources.map(source => ({ source, heed: () => abort(source.reason) }))
  const dispose = () => {
    for (const { source, heed } of links) unfollow(source, heed)
  }
  const abort = (reason?: unknown) => {
    dispose()
    controller.abort(reason)
  }
  const aborted = sources.find(source => source.aborted)
  if (aborted === undefined) for (const { source, heed } of links) follow(source, heed)
  else abort(aborted.reason)
  return { signal: controller.signal, abort, [Symbol.dispose]: dispose }
}

/** Who follows a signal, and the one listener for them all: a signal compares each new listener with all it has. */
type Followers = { readonly heeding: Set<() => void>; readonly tell: () => void }

const followersOf = new WeakMap<AbortSignal, Followers>()

function follow(source: AbortSignal, heed: () => void): void {
  const followers = followersOf.get(source) ?? firstOf(source)
  followers.heeding.add(heed)
}

function firstOf(source: AbortSignal): Followers {
  const heeding = new Set<() => void>()
  const tell = () => {
    for (const heed of heeding) heed()
  }
  const followers = { heeding, tell }
  followersOf.set(source, followers)
  source.addEventListener('abort', tell, { once: true })
  return followers
}

function unfollow(source: AbortSignal, heed: () => void): void {
  const followers = followersOf.get(source)
  if (followers?.heeding.delete(heed) !== true || followers.heeding.size > 0) return
  followersOf.delete(source)
  source.removeEventListener('abort', followers.tell)
}
