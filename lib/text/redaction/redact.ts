import { onceFor } from '../../memo/once-for.ts'
import { percentDecoded } from '../percent-decoded.ts'
import { finderOf } from './occurrences.ts'

/** Returns a text without its secrets (G16): it hides every occurrence of the known ones, and of `also`. */
export type Redact = (text: string, also?: readonly string[]) => string

/** Hides only `also`. */
export const redactNothing: Redact = redactorOf(() => [])

/** Returns a function that hides texts wherever they occur, also if they overlap. */
export function redactor(hidden: Iterable<string>): Redact {
  const known = [...hidden]
  return redactorOf(() => [known])
}

/** Returns a function that hides the texts of all these lists. A list is prepared for the search once, so none may change. */
export function redactorOf(lists: () => readonly (readonly string[])[]): Redact {
  return (text, also = []) => without(text, [...lists(), also])
}

const finder = onceFor(finderOf)

const mark = '[REDACTED]'

function without(text: string, lists: readonly (readonly string[])[]): string {
  const ranges = lists.flatMap(list => finder(list)(text)).sort((a, b) => a.from - b.from)
  const parts: string[] = []
  let end = 0
  for (const { from, to } of ranges) {
    if (from >= end) parts.push(text.slice(end, from), mark)
    end = Math.max(end, to)
  }
  return parts.length === 0 ? text : [...parts, text.slice(end)].join('')
}

/** Shorter secrets are not hidden, because they occur by chance in many texts, which would be destroyed. */
export const shortestHidden = 4

/**
 * Returns the lines of a text that may be shown one by one, without blanks around them. A line that is too short to be
 * hidden is joined with the next one, so that a list of short words is found although its beginning was cut off.
 */
export function linesIn(text: string, shortest: number): readonly string[] {
  const lines = text
    .split(/[\r\n\v\f\u2028\u2029]+/)
    .map(line => line.trim())
    .filter(line => line !== '')
  const isShort = (line: string | undefined) => line !== undefined && line.length < shortest
  const pairs = lines
    .flatMap((line, at) => {
      const next = lines[at + 1]
      return next !== undefined && (isShort(line) || isShort(next)) ? [[line, next] as const] : []
    })
    .slice(0, mostPairs)
    .flatMap(pair => ['\n', '\r\n', '\\n', ' '].map(between => pair.join(between)))
  return [...lines, ...pairs].filter(({ length }) => length >= shortest)
}

const mostPairs = 1_000

/**
 * Returns the passwords of all addresses in a text, as written and decoded. Lengths are limited so that matching stays
 * linear.
 */
export function passwordsIn(text: string): readonly string[] {
  return [...text.matchAll(/:\/\/[^\s/?#@:|]{0,200}:([^\s@|]{1,1000})@/g)].flatMap(([, password = '']) => [
    password,
    percentDecoded(password) ?? password,
  ])
}
