import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Writes a file into a directory of its own, which is removed at the end of the block. */
export function fileIn(name: string, text: string): Disposable & { readonly path: string } {
  const directory = mkdtempSync(join(tmpdir(), 'tallyman-file-'))
  const path = join(directory, name)
  writeFileSync(path, text)
  return { path, [Symbol.dispose]: () => rmSync(directory, { recursive: true }) }
}
