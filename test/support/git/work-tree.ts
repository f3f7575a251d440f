import { type Dirent, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { type NewObject, type ObjectType, objectName } from '../../../lib/git/objects/object.ts'
import { type TreeLine, treeLine } from './git-objects.ts'

/** A file of a work tree as git's index lists it. */
export type IndexedFile = { readonly path: string; readonly mode: string; readonly oid: string }

/** What `git add --all` makes of a work tree. */
export type WorkTree = {
  /** The name of the tree that a commit would have. */
  readonly tree: string
  readonly objects: readonly NewObject[]
  readonly files: readonly IndexedFile[]
}

/**
 * Returns what `git add --all` would make of the files below a directory, or undefined if they hold settings of git or
 * another repository: only git itself knows then.
 */
export function readWorkTree(directory: string): WorkTree | undefined {
  const objects: NewObject[] = []
  const files: IndexedFile[] = []

  function add(type: ObjectType, content: Buffer): string {
    const oid = objectName(type, content)
    objects.push({ type, oid, content })
    return oid
  }

  function lineOf(entry: Dirent, path: string): readonly TreeLine[] {
    const { name } = entry
    if (entry.isDirectory()) {
      const oid = treeBelow(path)
      return oid === undefined ? [] : [{ mode: '40000', name, oid }]
    }
    const at = join(directory, path)
    const content = entry.isSymbolicLink() ? readlinkSync(at, 'buffer') : readFileSync(at)
    const mode = entry.isSymbolicLink() ? '120000' : (lstatSync(at).mode & 0o100) > 0 ? '100755' : '100644'
    const oid = add('blob', content)
    files.push({ path, mode, oid })
    return [{ mode, name, oid }]
  }

  /** A directory without files is in no tree. */
  function treeBelow(path: string): string | undefined {
    const entries = entriesOf(join(directory, path), path === '')
    const lines = entries.flatMap(entry => lineOf(entry, path === '' ? entry.name : `${path}/${entry.name}`))
    return lines.length === 0 && path !== '' ? undefined : add('tree', Buffer.concat(lines.map(treeLine)))
  }

  try {
    const tree = treeBelow('')
    return tree === undefined ? undefined : { tree, objects, files: files.toSorted(byPath) }
  } catch (error) {
    if (error === special) return undefined
    throw error
  }
}

const special = new Error('only git knows what becomes of it')

/** In the order of a tree: the name of a directory counts as if it ended in a slash. */
function entriesOf(directory: string, isTop: boolean): readonly Dirent[] {
  const entries = readdirSync(directory, { withFileTypes: true }).filter(
    ({ name }) => !isTop || name !== '.git',
  )
  if (entries.some(isSpecial)) throw special
  const key = (entry: Dirent) => Buffer.from(entry.isDirectory() ? `${entry.name}/` : entry.name)
  return entries.toSorted((a, b) => Buffer.compare(key(a), key(b)))
}

function isSpecial(entry: Dirent): boolean {
  const isKnown = entry.isFile() || entry.isDirectory() || entry.isSymbolicLink()
  return !isKnown || entry.name.startsWith('.git') || entry.name.includes('\ufffd')
}

function byPath(a: IndexedFile, b: IndexedFile): number {
  return Buffer.compare(Buffer.from(a.path), Buffer.from(b.path))
}
