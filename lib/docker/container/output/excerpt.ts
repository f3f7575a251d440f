import { tokenIn } from '../../../metadata/place.ts'
import { isToldToAll, urlVariable } from '../../../state/application/container/told-variables.ts'
import { linesIn, passwordsIn, type Redact } from '../../../text/redaction/redact.ts'

/** How much of an output is kept: its end. */
export type Bounds = { readonly lines: number; readonly characters: number }

const short: Bounds = { lines: 5, characters: 500 }
/** Shorter values of the environment are words such as `prod` or `8080`, and nobody called them secret. */
const shortestValue = 6

/** Hides secrets in the output of a container. */
export type Hide = (text: string) => string

/**
 * Returns a function that hides, in the output of a container, the secrets of its environment and all values of its
 * variables, because it may have been created with secrets that have changed since (G16). What Tallyman itself tells it
 * is no secret, but for the token of a pod. `files`: the contents of files of which the same is true.
 */
export function hiding(redact: Redact, env: readonly string[] | null, files: readonly string[] = []): Hide {
  const values = [...(env ?? []).filter(pair => !isToldToAll(pair)).flatMap(valuesOf), ...files]
  const lines = values.flatMap(value => linesIn(value, shortestValue))
  const given = [...values, ...lines, ...values.flatMap(passwordsIn)]
  const hidden = given.filter(value => value.length >= shortestValue)
  return text => redact(text, hidden)
}

/** Requests to the metadata service have the token of its address, without the rest. */
function valuesOf(pair: string): readonly string[] {
  // A name alone takes away a variable of the image.
  if (!pair.includes('=')) return []
  const value = pair.slice(pair.indexOf('=') + 1)
  return pair.startsWith(`${urlVariable}=`) ? [value, tokenIn(value)] : [value]
}

/**
 * Returns the end of an output: at most five lines and 500 characters by default, on one line. `hide` is applied
 * before anything is cut off (G16).
 */
export function excerpt(text: string, hide: Hide, { lines, characters }: Bounds = short): string {
  return saidLines(text, hide).slice(-lines).join(' | ').slice(-characters)
}

/**
 * Returns the lines of an output, without colors, empty lines and secrets. A tab counts as a blank. What else controls
 * a terminal is made harmless where it is printed (G24).
 */
export function saidLines(text: string, hide: Hide): readonly string[] {
  return hide(text.replace(/\x1b\[[0-9;?]*[A-Za-z]/g, ''))
    .split(/[\r\n]+/)
    .map(line => line.replaceAll('\t', ' ').trim())
    .filter(line => line !== '')
}
