import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeDirectory } from '../../file/make-directory.ts'
import { unwritable } from '../store.ts'

/**
 * Creates a directory for the files of one verification, with these in it, for this user alone. It is below that of the
 * fetched objects, because a process may have no other place where it can write. Disposing of it removes it with
 * everything in it. Fails with `git-store-unwritable`.
 */
export async function passingFiles(
  storeDir: string,
  files: Readonly<Record<string, string>>,
): Promise<AsyncDisposable & { readonly path: string }> {
  await using undo = new AsyncDisposableStack()
  try {
    makeDirectory(storeDir)
    const { path } = undo.use(await mkdtempDisposable(join(storeDir, 'verify-')))
    for (const [name, text] of Object.entries(files)) await writeFile(join(path, name), text, { mode: 0o600 })
    const made = undo.move()
    return { path, [Symbol.asyncDispose]: () => made.disposeAsync() }
  } catch (error) {
    throw unwritable(storeDir, error)
  }
}
