import { constants, type Stats } from 'node:fs'
import { open } from 'node:fs/promises'

/** The content of a file, and what the system says of it. */
export type RegularFile = { readonly text: string; readonly stats: Stats }

/**
 * Reads a file that the operator names. Fails with a code, as the system does, or with `not a file`: a pipe to which
 * nobody writes would never be read to its end, and keep the process from ending, too.
 */
export async function readRegular(path: string): Promise<RegularFile> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stats = await file.stat()
    if (!stats.isFile()) throw Object.assign(new Error(`${path} is not a file`), { code: 'not a file' })
    return { text: await file.readFile('utf8'), stats }
  } finally {
    await file.close()
  }
}
