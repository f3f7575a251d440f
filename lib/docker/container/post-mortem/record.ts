import { constants } from 'node:os'
import type { PostMortem } from '../../../state/pass/post-mortem.ts'

/** How many lines of its output a record of a failure has at most. */
export const mostLines = 200
const mostCharacters = 64 * 1024
/** Collecting the record must not delay the undo for long. */
export const recordWithinMs = 10_000

/** If a signal ended a process, its exit code is 128 plus the signal's number. */
export function exitOf(exitCode: number): Pick<PostMortem, 'exitCode' | 'signal'> {
  const [signal] = Object.entries(constants.signals).find(([, number]) => number === exitCode - 128) ?? []
  return { exitCode, ...(signal === undefined ? {} : { signal }) }
}

/** Returns the last lines whose total length is within the bound; if a single line exceeds it, the end of that line. */
export function lastOf(lines: readonly string[]): readonly string[] {
  const last = lines.slice(-mostLines)
  let characters = 0
  const from = last.findLastIndex(line => {
    characters += line.length + 1
    return characters > mostCharacters
  })
  const kept = last.slice(from + 1)
  return kept.length > 0 || last.length === 0 ? kept : last.slice(-1).map(line => line.slice(-mostCharacters))
}

/** Says that a record is kept. */
export function keptWords({ container, lines }: PostMortem): string {
  return `${container}: kept for "tallyman show": how it ended, and ${lines.length} lines`
}
