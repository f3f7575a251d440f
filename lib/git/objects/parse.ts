import { corrupt } from './object.ts'

export type Commit = {
  readonly tree: string
  /** `Name <address>`, as in the commit. */
  readonly author: string
  /** The time of the commit, in ms since 1970. */
  readonly committedMs: number
  readonly message: string
}

/** Reads a commit. Fails with `repository-corrupt` if it does not begin with its tree, as git requires. */
export function parseCommit(content: Buffer, oid: string): Commit {
  const text = content.toString('utf8')
  const end = text.indexOf('\n\n')
  const head = end === -1 ? text : text.slice(0, end)
  const tree = /^tree ([0-9a-f]{40})(?:\n|$)/.exec(head)?.[1]
  if (tree === undefined) throw corrupt(`commit ${oid}`, 'names no tree')
  return {
    tree,
    author: /^author (.*?)(?: -?\d+ [+-]\d+)?$/m.exec(head)?.[1] ?? '',
    committedMs: Number(/^committer .* (-?\d{1,12}) [+-]\d+$/m.exec(head)?.[1] ?? 0) * 1000,
    message: end === -1 ? '' : text.slice(end + 2),
  }
}

/** Returns the name of the object that an annotated tag points to. Fails with `repository-corrupt`. */
export function parseTag(content: Buffer, oid: string): string {
  const target = /^object ([0-9a-f]{40})\n/.exec(content.toString('utf8'))?.[1]
  if (target === undefined) throw corrupt(`tag ${oid}`, 'names no object')
  return target
}
