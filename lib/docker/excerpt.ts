import { linesIn, passwordsIn, type Redact } from '../redact.ts'

/** How much of what is said is kept: the last of it. */
export type Bounds = { readonly lines: number; readonly characters: number }

const short: Bounds = { lines: 5, characters: 500 }
/** Shorter values of the environment are words such as `prod` or `8080`, and nobody called them secret. */
const shortestValue = 6

/** Takes what nobody is to see out of the words of a container. */
export type Hide = (text: string) => string

/**
 * What hides, in the words of a container, the secrets of its environment and whatever else it was given in variables:
 * it may have been made with secrets that are others by now (G16).
 */
export function hiding(redact: Redact, env: readonly string[] | null): Hide {
  const values = (env ?? []).map(pair => pair.slice(pair.indexOf('=') + 1))
  const lines = values.flatMap(value => linesIn(value, shortestValue))
  const given = [...values, ...lines, ...values.flatMap(passwordsIn)]
  const hidden = given.filter(value => value.length >= shortestValue)
  return text => redact(text, hidden)
}

/**
 * The end of what a container says: at most five lines and 500 characters unless told, on one line, without control
 * characters and without what `hide` takes out of it before anything is cut (G16).
 */
export function excerpt(text: string, hide: Hide, { lines, characters }: Bounds = short): string {
  return saidLines(text, hide).slice(-lines).join(' | ').slice(-characters)
}

/** What a container says, line by line, without empty lines, control characters and what nobody is to see. */
export function saidLines(text: string, hide: Hide): readonly string[] {
  return hide(text.replace(/\x1b\[[0-9;?]*[A-Za-z]/g, ''))
    .split(/[\r\n]+/)
    .map(line => line.replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, ' ').trim())
    .filter(line => line !== '')
}
