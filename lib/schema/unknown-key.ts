import type { ErrorObject } from 'ajv'
import { type Document, pointerTo, shownPointer } from '../document/document.ts'
import type { ErrorCode } from '../errors/catalogue.ts'
import type { Problem } from '../errors.ts'
import { nearest } from '../text/suggestion/nearest.ts'

/** Returns what is said of a key that there is not, with its place in the file and what may be meant. */
export function unknownKey(error: ErrorObject, document: Document, code: ErrorCode): Problem {
  const pointer = pointerTo(error.instancePath, error.params.additionalProperty)
  const instead = insteadOf(error.parentSchema, error.params.additionalProperty)
  const meant = keyMeant(error)
  const advice =
    instead !== undefined ? `: ${instead}` : meant !== undefined ? `; did you mean "${meant}"?` : ''
  return {
    code,
    message: `${shownPointer(pointer)} is not a known key${advice}`,
    position: document.keyPosition(pointer),
  }
}

/** Returns the key that replaces one of Compose, from the schema's keyword `instead`. */
function insteadOf(schema: ErrorObject['parentSchema'], key: string): string | undefined {
  const told: Readonly<Record<string, string>> = schema?.instead ?? {}
  return Object.hasOwn(told, key) ? told[key] : undefined
}

/** Returns the known key that an unknown one was probably meant to be. */
export function keyMeant({ params, parentSchema }: ErrorObject): string | undefined {
  return nearest(params.additionalProperty, Object.keys(parentSchema?.properties ?? {}))
}
