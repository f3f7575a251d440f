import { type Document, pointerTo } from '../document/document.ts'
import type { ErrorCode, Problem } from '../errors.ts'
import type { Parsed } from '../state/parsed.ts'

/** A place in a document. What is wrong there is noted, and reading goes on: all faults are found at once. */
export type Spot = {
  readonly pointer: string
  at(...keys: readonly (string | number)[]): Spot
  fault(reason: string, code?: ErrorCode): void
  /** The value a grammar found, or undefined after the fault was noted. */
  take<T>(result: Parsed<T>): T | undefined
}

/** The root of a document; `note` is called for each fault, its message beginning with the JSON pointer. */
export function rootOf(document: Document, note: (problem: Problem) => void, code: ErrorCode): Spot {
  return spotAt('')

  function spotAt(pointer: string): Spot {
    const fault = (reason: string, own = code): void =>
      note({
        code: own,
        message: pointer === '' ? reason : `${pointer} ${reason}`,
        position: document.position(pointer),
      })
    return {
      pointer,
      at: (...keys) => spotAt(keys.reduce<string>(pointerTo, pointer)),
      fault,
      take: result => {
        if (result.ok) return result.value
        fault(result.reason)
        return undefined
      },
    }
  }
}
