import { Failure } from '../errors.ts'

const mebi = 1024 * 1024

/** The most that a hostile or mistaken repository may cost (G24). */
export const gitLimits = {
  /** One answer of a git server that contains objects. */
  packBytes: 256 * mebi,
  /** The decompressed size of all objects in such an answer. Deltas and their results are counted as well. */
  unfoldedBytes: 1024 * mebi,
  /** The decompressed size of all deltas, and their results, that lead to one object. */
  chainBytes: 512 * mebi,
  /** Objects in one such answer. */
  objects: 400_000,
  /** One file that is read, or the listing of one directory. Larger ones are never held in memory. */
  objectBytes: 8 * mebi,
  /** All files of a local directory that are held in memory. */
  directoryBytes: 128 * mebi,
  /** Files and directories of one snapshot, counted once for each path. */
  entries: 100_000,
  /** Levels of directories. */
  depth: 64,
  /** One answer of a git server without objects: refs and capabilities. */
  refBytes: 32 * mebi,
  /** Lines of such an answer. */
  refs: 200_000,
  /** Packs in one generation of the store. */
  packs: 50,
} as const

/** Returns the failure for what costs more than one of these limits. */
export function tooLarge(where: string, what: string): Failure {
  return new Failure('repository-too-large', `${where}: ${what}`)
}
