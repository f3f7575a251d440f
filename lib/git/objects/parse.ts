import type { EntryKind } from '../../state/snapshot.ts'
import { corrupt } from './object.ts'

export type TreeEntry = { readonly name: string; readonly kind: EntryKind; readonly oid: string }

export type Commit = {
  readonly tree: string
  /** `Name <address>`, as in the commit. */
  readonly author: string
  /** The time of the commit, in ms since 1970. */
  readonly committedMs: number
  readonly message: string
}

/** Reads the entries of a tree, in git's order. Fails with `repository-corrupt`. */
export function parseTree(content: Buffer, oid: string): readonly TreeEntry[] {
  const entries: TreeEntry[] = []
  for (let at = 0; at < content.byteLength; ) {
    const space = content.indexOf(0x20, at)
    const end = content.indexOf(0, space)
    if (space === -1 || end === -1 || end + 21 > content.byteLength)
      throw corrupt(`tree ${oid}`, 'is malformed')
    entries.push({
      name: content.toString('utf8', space + 1, end),
      kind: kindOf(content.toString('latin1', at, space)),
      oid: content.toString('hex', end + 1, end + 21),
    })
    at = end + 21
  }
  return entries
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

/** Reads the bits of the mode, as git does, because some writers put a zero in front. */
function kindOf(mode: string): EntryKind {
  switch (Number.parseInt(mode, 8) & 0o170000) {
    case 0o040000:
      return 'directory'
    case 0o120000:
      return 'symlink'
    case 0o160000:
      return 'submodule'
    default:
      return 'file'
  }
}
