import type { ErrorCode } from '../errors/catalogue.ts'
import { more, type Problem } from '../errors.ts'
import { limits } from '../limits.ts'
import type { Include, ManifestFile, Unreadable } from './file.ts'

/** The files of an include tree in the order in which they take effect, and all problems of the tree. */
export type OrderedFiles = { readonly files: readonly ManifestFile[]; readonly problems: readonly Problem[] }

/**
 * Orders the files depth first, `[A, B, own]` (E11): what a file includes comes before it, and each file is used once,
 * at its first place (E14). A cycle, an invalid path and a file that cannot be read are problems that name the chain of
 * files that leads there. Files that were not loaded are skipped.
 */
export function orderFiles(
  root: string,
  loaded: ReadonlyMap<string, ManifestFile | Unreadable>,
): OrderedFiles {
  const walk: Walk = {
    loaded,
    visited: new Set(),
    files: [],
    problems: [],
    counts: new Map(),
    rest: new Map(),
  }
  const file = loaded.get(root)
  if (file !== undefined && 'reason' in file)
    return {
      files: [],
      problems: [unreadableRoot(file)],
    }
  if (file !== undefined) visit(walk, file, [root])
  const rest = [...walk.rest].map(([path, { code, count }]) => more(code, count, path))
  return { files: walk.files, problems: [...fileByFile(walk.problems), ...rest] }
}

/** Nobody names the root: it is found by its place. */
function unreadableRoot({ path, code, reason, hint }: Unreadable): Problem {
  const found = code === 'path-forbidden' ? { hint: `Commit a regular file as ${path}.` } : { hint }
  return { code, message: reason, position: { file: path }, ...found }
}

type Walk = {
  readonly loaded: ReadonlyMap<string, ManifestFile | Unreadable>
  readonly visited: Set<string>
  readonly files: ManifestFile[]
  readonly problems: Problem[]
  /** For each file: how many problems it has, and how many of those are only counted. */
  readonly counts: Map<string, number>
  readonly rest: Map<string, { readonly code: ErrorCode; readonly count: number }>
}

/** `chain`: the files from the root to this one. */
function visit(walk: Walk, file: ManifestFile, chain: readonly string[]): void {
  walk.visited.add(file.path)
  for (const problem of file.problems) walk.problems.push(problem)
  for (const include of file.includes) follow(walk, include, chain)
  walk.files.push(file)
}

function follow(walk: Walk, include: Include, chain: readonly string[]): void {
  const { target } = include
  if (!target.ok) {
    note(walk, 'include-invalid', include, target.reason, chain)
    return
  }
  const path = target.value
  const onward = [...chain, path]
  if (chain.includes(path)) {
    const circle = onward.slice(chain.indexOf(path))
    note(walk, 'include-cycle', include, 'closes a circle', circle)
    return
  }
  if (walk.visited.has(path)) return
  if (chain.length > limits.includeDepth) {
    const reason = `is included more than ${limits.includeDepth} files deep`
    note(walk, 'too-many-includes', include, reason, onward)
    return
  }
  const file = walk.loaded.get(path)
  if (file === undefined) return
  if ('reason' in file) note(walk, file.code, include, file.reason, onward, file.hint)
  else visit(walk, file, onward)
}

/** Chains are long, so problems that will only be counted are only counted here (G24). */
function note(
  walk: Walk,
  code: ErrorCode,
  { text, pointer, position }: Include,
  reason: string,
  chain: readonly string[],
  hint?: string,
): void {
  const { file } = position
  const count = (walk.counts.get(file) ?? 0) + 1
  walk.counts.set(file, count)
  if (count >= limits.problemsOfFile || walk.problems.length >= limits.problems) {
    walk.rest.set(file, { code, count: (walk.rest.get(file)?.count ?? 0) + 1 })
    return
  }
  const message = `${pointer} ${JSON.stringify(text)}: ${reason} (${chain.join(' → ')})`
  walk.problems.push({ code, message, position, ...(hint === undefined ? {} : { hint }) })
}

/**
 * Groups the problems by files in the order of their first occurrence, and sorts those of each file from top to bottom.
 */
function fileByFile(problems: readonly Problem[]): readonly Problem[] {
  const files = Map.groupBy(problems, ({ position }) => position?.file)
  return [...files.values()].flatMap(ofOne => ofOne.toSorted((a, b) => lineOf(a) - lineOf(b)))
}

function lineOf({ position }: Problem): number {
  return position?.line ?? 0
}
