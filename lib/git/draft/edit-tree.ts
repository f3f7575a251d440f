import { type NewObject, objectName } from '../objects/object.ts'
import { parseTree } from '../objects/tree.ts'
import { type ReadObject, readSmall } from '../snapshot/commit-snapshot.ts'

/** The name of the new content of a file, or undefined if it is removed, by its path. */
export type FileChanges = ReadonlyMap<string, string | undefined>

/**
 * Returns the name of a tree with changed files, and the trees that had to be made for it. A file keeps its mode, and a
 * new one is a regular file. A directory that becomes empty is removed, as git has none. Every other entry stays as it
 * is, byte by byte.
 * @param root the name of the tree; undefined: an empty one
 */
export async function editTree(
  read: ReadObject,
  root: string | undefined,
  changes: FileChanges,
): Promise<{ readonly tree: string | undefined; readonly made: readonly NewObject[] }> {
  const entries = root === undefined ? [] : entriesOf(await readSmall(read, root, 'tree'), root)
  const byName = new Map(entries.map(entry => [keyOf(entry.name), entry]))
  const made: NewObject[] = []
  for (const [name, below] of Map.groupBy(changes, ([path]) => path.split('/', 1)[0] ?? '')) {
    const key = keyOf(Buffer.from(name))
    const known = byName.get(key)
    const [whole] = below.filter(([path]) => path === name)
    if (whole !== undefined) {
      const oid = whole[1]
      if (oid === undefined) byName.delete(key)
      else byName.set(key, { mode: known?.mode ?? '100644', name: Buffer.from(name), oid })
      continue
    }
    const inside = new Map(below.map(([path, oid]) => [path.slice(name.length + 1), oid]))
    const edited = await editTree(read, isTree(known) ? known?.oid : undefined, inside)
    for (const one of edited.made) made.push(one)
    if (edited.tree === undefined) byName.delete(key)
    else byName.set(key, { mode: treeMode, name: Buffer.from(name), oid: edited.tree })
  }
  if (byName.size === 0) return { tree: undefined, made }
  const content = Buffer.concat([...byName.values()].sort(inGitsOrder).map(bytesOf))
  const tree = objectName('tree', content)
  return { tree, made: [...made, { type: 'tree', oid: tree, content }] }
}

/** Names are bytes, which need not be UTF-8: each byte is a character of the key. */
function keyOf(name: Buffer): string {
  return name.toString('latin1')
}

type RawEntry = { readonly mode: string; readonly name: Buffer; readonly oid: string }

const treeMode = '40000'

function isTree(entry: RawEntry | undefined): boolean {
  return entry !== undefined && /^0*40000$/.test(entry.mode)
}

/** Reads a tree as it is written. Fails with `repository-corrupt` for one that git never writes. */
function entriesOf(content: Buffer, oid: string): readonly RawEntry[] {
  parseTree(content, oid)
  const entries: RawEntry[] = []
  for (let at = 0; at < content.byteLength; ) {
    const [space, end] = [content.indexOf(0x20, at), content.indexOf(0, at)]
    entries.push({
      mode: content.toString('latin1', at, space),
      name: content.subarray(space + 1, end),
      oid: content.toString('hex', end + 1, end + 21),
    })
    at = end + 21
  }
  return entries
}

function bytesOf({ mode, name, oid }: RawEntry): Buffer {
  return Buffer.concat([Buffer.from(`${mode} `), name, Buffer.of(0), Buffer.from(oid, 'hex')])
}

/** Git sorts by bytes, and a directory as if its name ended with a slash. */
function inGitsOrder(a: RawEntry, b: RawEntry): number {
  return Buffer.compare(sortKey(a), sortKey(b))
}

function sortKey(entry: RawEntry): Buffer {
  return isTree(entry) ? Buffer.concat([entry.name, Buffer.from('/')]) : entry.name
}
