const mebi = 1024 * 1024

/** What a hostile or mistaken repository may cost at most (G24). */
export const limits = {
  /** One answer of a git server with objects. */
  packBytes: 256 * mebi,
  /** What the objects of one such answer may unfold to; deltas and what they make are counted again. */
  unfoldedBytes: 1024 * mebi,
  /** What the deltas on the way to one object, and what they make, may unfold to. */
  chainBytes: 512 * mebi,
  /** Objects in one such answer. */
  objects: 400_000,
  /** One file that is read, or one directory's listing; larger ones are never held in memory. */
  objectBytes: 8 * mebi,
  /** What all the files of a local directory that are held in memory may sum up to. */
  directoryBytes: 128 * mebi,
  /** Files and directories that one snapshot lists. */
  entries: 100_000,
  /** Directories inside one another. */
  depth: 64,
  /** Answers of a git server without objects: refs and capabilities. */
  refBytes: 32 * mebi,
  /** Lines of such an answer. */
  refs: 200_000,
  /** Packs in one generation of the store. */
  packs: 50,
} as const
