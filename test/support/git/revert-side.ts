import { snapshotOf } from '../../../lib/git/snapshot/commit-snapshot.ts'
import type { Side } from '../../../lib/revert-commit/side.ts'
import { directory, file, gitObjects } from './git-objects.ts'

/** The texts of files by path. */
export type Texts = Readonly<Record<string, string>>

/** A commit in memory with these files. */
export async function sideOf(texts: Texts): Promise<Side> {
  const objects = gitObjects()
  const treeOf = (below: readonly (readonly [string, string])[]): string =>
    objects.tree(
      [...Map.groupBy(below, ([path]) => path.split('/', 1)[0] ?? '')]
        .map(([name, inside]) => {
          const [whole] = inside.filter(([path]) => path === name)
          if (whole !== undefined) return file(name, objects.file(whole[1]))
          return directory(
            name,
            treeOf(inside.map(([path, text]) => [path.slice(name.length + 1), text] as const)),
          )
        })
        .sort((a, b) => Buffer.compare(keyOf(a), keyOf(b))),
    )
  const commit = objects.commit(treeOf(Object.entries(texts)))
  return { commit, snapshot: await snapshotOf(commit, 'main', objects.read), read: objects.read }
}

/** Git sorts a directory as if its name ended with a slash. */
function keyOf({ mode, name }: { readonly mode: string; readonly name: string | Buffer }): Buffer {
  return Buffer.from(`${name}${mode === '40000' ? '/' : ''}`)
}

/** Returns the files after a change. */
export function changed(texts: Texts, changes: ReadonlyMap<string, Buffer | undefined>): Texts {
  const after = new Map(Object.entries(texts))
  for (const [path, bytes] of changes)
    if (bytes === undefined) after.delete(path)
    else after.set(path, bytes.toString())
  return Object.fromEntries(after)
}
