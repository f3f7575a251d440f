import { pointerTo } from '../document/document.ts'
import { foreignToPrograms } from '../text/foreign-to-programs.ts'

/** A text that no program can be given, and why. */
export type ForeignText = { readonly pointer: string; readonly reason: string }

/**
 * Returns the texts in a value that no program can be given (G24). A key that is one is told at what it stands in,
 * because it cannot be shown.
 */
export function foreignTexts(value: unknown, pointer: string): readonly ForeignText[] {
  if (!holdsForeign(value)) return []
  if (typeof value === 'string') return told(pointer, foreignToPrograms(value))
  return Object.entries(value ?? {}).flatMap(([key, inner]) => {
    const reason = foreignToPrograms(key)
    return reason === undefined
      ? foreignTexts(inner, pointerTo(pointer, key))
      : told(pointer, `has a key that ${reason}`)
  })
}

/** Hardly a file holds any, so that no pointer is made for what holds none. */
function holdsForeign(value: unknown): boolean {
  if (typeof value === 'string') return foreignToPrograms(value) !== undefined
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(
    ([key, inner]) => foreignToPrograms(key) !== undefined || holdsForeign(inner),
  )
}

function told(pointer: string, reason: string | undefined): readonly ForeignText[] {
  return reason === undefined ? [] : [{ pointer, reason }]
}
