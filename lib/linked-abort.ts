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
  const links = sources.map(source => {
    const follow = () => abort(source.reason)
    return { follow, source }
  })
  const dispose = () => {
    for (const { source, follow } of links) source.removeEventListener('abort', follow)
  }
  const abort = (reason?: unknown) => {
    dispose()
    controller.abort(reason)
  }
  const aborted = sources.find(source => source.aborted)
  if (aborted === undefined)
    for (const { source, follow } of links) source.addEventListener('abort', follow, { once: true })
  else abort(aborted.reason)
  return { signal: controller.signal, abort, [Symbol.dispose]: dispose }
}
