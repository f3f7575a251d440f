import type { Failure } from '../errors.ts'
import { type FileMark, whyGoneSoon } from '../file/file-mark.ts'
import { abortable } from '../wait/abortable.ts'
import { sleep } from '../wait/timer.ts'

/** How often the files are looked at. Whoever moved one to copy it has put it back by the second look. */
const usualMs = 2_000

/**
 * Looks whether something is gone until it is at two looks, one after the other, and returns why; undefined: the signal
 * aborted before. A look begins only after the one before it has ended, however long the file system takes.
 */
export async function awaitLoss(
  look: () => Promise<Failure | undefined>,
  signal: AbortSignal,
  everyMs: number = usualMs,
): Promise<Failure | undefined> {
  let before: Failure | undefined
  try {
    for (;;) {
      await sleep(everyMs, signal)
      const gone = await abortable(look(), signal)
      if (gone !== undefined && before !== undefined) return gone
      before = gone
    }
  } catch (error) {
    if (signal.aborted) return undefined
    throw error
  }
}

/** Returns why one of these files is not in its place (`state-dir-gone`); undefined: all are. Never rejects. */
export async function whyOneIsGone(marks: readonly FileMark[]): Promise<Failure | undefined> {
  const gone = await Promise.all(marks.map(whyGoneSoon))
  return gone.find(one => one !== undefined)
}
