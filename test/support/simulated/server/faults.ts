/**
 * What is wrong with the answer to a call.
 * - a status and a message: the engine refuses, and does nothing.
 * - `hangs`: it takes the call, does nothing and never answers.
 * - `dies`: it does what it was asked for, and breaks off in the middle of its answer.
 * - `stalls`: it does what it was asked for, begins to answer, and says nothing more.
 * - `lateMs`: it does what it was asked for after a while on its clock.
 * - `heldUntil`: it does what it was asked for at once, and tells what came of it once that resolves, whatever is so then.
 */
export type Fault =
  | { readonly status: number; readonly message: string }
  | { readonly lateMs: number }
  | { readonly heldUntil: () => Promise<void> }
  | 'hangs'
  | 'dies'
  | 'stalls'

export type Faults = {
  /**
   * Answers calls that match, such as `POST /containers/web/start`, in this way until the returned function is called,
   * or as often as is said, once so many that match were answered as usual. The fault that was set last decides.
   */
  set(call: RegExp, fault: Fault, times?: number, after?: number): () => void
  /** Takes the fault of a call, which counts as one time. */
  take(call: string): Fault | undefined
}

export function createFaults(): Faults {
  const all = new Set<{ readonly call: RegExp; readonly fault: Fault; left: number; after: number }>()
  return {
    set(call, fault, times = Number.POSITIVE_INFINITY, after = 0) {
      const one = { call, fault, left: times, after }
      all.add(one)
      return () => all.delete(one)
    },
    take(call) {
      const found = [...all].findLast(one => one.left > 0 && one.call.test(call))
      if (found === undefined) return undefined
      if (found.after > 0) {
        found.after -= 1
        return undefined
      }
      found.left -= 1
      return found.fault
    },
  }
}
