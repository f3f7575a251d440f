import { type Document, pointerTo, shownPointer } from '../document/document.ts'
import type { ErrorCode } from '../errors/catalogue.ts'
import type { Position, Problem } from '../errors.ts'
import { optional } from '../object.ts'
import type { Parsed } from '../state/parsed.ts'

/** A place in a document. A fault is noted and reading continues, so that all faults are found at once. */
export type Spot = {
  readonly pointer: string
  position(): Position
  at(...keys: readonly (string | number)[]): Spot
  /** @param hint what to do, where that is another than of all faults with the code */
  fault(reason: string, code?: ErrorCode, hint?: string): void
  /** Notes a fault at a character of the text there, by its offset in the text. */
  faultWithin(offset: number, reason: string): void
  /** Returns the value that a grammar found, or undefined after the fault was noted. */
  take<T>(result: Parsed<T>): T | undefined
  /** Returns what is written there as a text, in its own spelling: `0022` and `1.10` stay unchanged. */
  text(written: Scalar): string
}

/** What may be written where a text is required. */
export type Scalar = string | number | boolean

/**
 * Returns the root of a document. `note` is called for each fault, with a message that begins with the JSON pointer.
 */
export function rootOf(
  document: Document,
  note: (problem: Problem, pointer: string) => void,
  code: ErrorCode,
): Spot {
  return spotAt('')

  function spotAt(pointer: string): Spot {
    const noteAt = (position: Position, reason: string, own: ErrorCode, hint?: string): void => {
      const message = pointer === '' ? reason : `${shownPointer(pointer)} ${reason}`
      note({ code: own, message, position, ...optional('hint', hint) }, pointer)
    }
    const fault = (reason: string, own = code, hint?: string): void =>
      noteAt(document.position(pointer), reason, own, hint)
    return {
      pointer,
      position: () => document.position(pointer),
      at: (...keys) => spotAt(keys.reduce<string>(pointerTo, pointer)),
      fault,
      faultWithin: (offset, reason) => noteAt(document.positionWithin(pointer, offset), reason, code),
      take: result => {
        if (result.ok) return result.value
        fault(result.reason)
        return undefined
      },
      text: written =>
        typeof written === 'string' ? written : (document.spelling(pointer) ?? String(written)),
    }
  }
}

/** Returns the same places without noting faults, because they were noted before. */
export function muted(spot: Spot): Spot {
  return {
    ...spot,
    at: (...keys) => muted(spot.at(...keys)),
    fault: () => undefined,
    faultWithin: () => undefined,
    take: result => (result.ok ? result.value : undefined),
  }
}
