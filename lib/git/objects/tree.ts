import { Failure } from '../../errors.ts'
import type { EntryKind } from '../../state/repository/snapshot.ts'
import { nameFromBytes } from '../name-from-bytes.ts'
import { corrupt } from './object.ts'

export type TreeEntry = { readonly name: string; readonly kind: EntryKind; readonly oid: string }

/**
 * Reads the entries of a tree, in git's order. Fails with `repository-corrupt` for a tree that git itself never writes
 * and that two programs may read in two ways: with a name twice or out of order, with a name that is no name of a file,
 * or with an unknown mode. The failure names the tree and the entry (G24).
 */
export function parseTree(content: Buffer, oid: string): readonly TreeEntry[] {
  const entries: TreeEntry[] = []
  const names = new Set<string>()
  let last: Buffer | undefined
  for (let at = 0; at < content.byteLength; ) {
    const space = content.indexOf(0x20, at)
    const end = content.indexOf(0, space)
    if (space === -1 || end === -1 || end + 21 > content.byteLength)
      throw corrupt(`tree ${oid}`, 'is malformed')
    const bytes = content.subarray(space + 1, end)
    const mode = content.toString('latin1', at, space)
    const name = nameFromBytes(bytes)
    const kind = kindOf(mode)
    const fault = faultOf(name)
    if (fault !== undefined) throw broken(oid, name, fault)
    if (kind === undefined) throw broken(oid, name, `has the mode "${mode}", which git does not know`)
    if (names.has(name)) throw broken(oid, name, 'is there twice')
    const key = kind === 'directory' ? Buffer.concat([bytes, slash]) : bytes
    if (last !== undefined && Buffer.compare(last, key) > 0) throw broken(oid, name, 'is out of order')
    names.add(name)
    last = key
    entries.push({ name, kind, oid: content.toString('hex', end + 1, end + 21) })
    at = end + 21
  }
  return entries
}

/** Git sorts a directory as if its name ended so. */
const slash = Buffer.from('/')

function broken(oid: string, name: string, what: string): Failure {
  return new Failure('repository-corrupt', `tree ${oid}: the entry "${name}" ${what}`, {
    hint: 'Commit the files of that directory anew with git itself, which never writes such an entry.',
  })
}

function faultOf(name: string): string | undefined {
  if (name === '') return 'has no name'
  if (name === '.' || name === '..') return 'leads to another directory'
  if (name.toLowerCase() === '.git') return "has the name of git's own directory"
  return name.includes('/') ? 'has a slash in its name' : undefined
}

/**
 * Reads the type in the mode, as git does, because some writers put a zero in front and others once gave other
 * permissions. Undefined if git has no such type.
 */
function kindOf(mode: string): EntryKind | undefined {
  if (!/^0*[0-7]{5,6}$/.test(mode)) return undefined
  switch (Number.parseInt(mode, 8) >> 12) {
    case 0o04:
      return 'directory'
    case 0o10:
      return 'file'
    case 0o12:
      return 'symlink'
    case 0o16:
      return 'submodule'
    default:
      return undefined
  }
}
