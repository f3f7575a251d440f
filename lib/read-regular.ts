import { constants, type Stats } from 'node:fs'
import { open } from 'node:fs/promises'

/** The content of a file, and what the system says of it. */
export type RegularFile = { readonly bytes: Buffer; readonly stats: Stats }

/**
 * Reads a file that the operator names. Fails with a code, as the system does, or with `not a file`: a pipe to which
 * nobody writes would never be read to its end, and keep the process from ending, too.
 */
export async function readRegular(path: string): Promise<RegularFile> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stats = await file.stat()
    if (!stats.isFile()) throw Object.assign(new Error(`${path} is not a file`), { code: 'not a file' })
    return { bytes: await file.readFile(), stats }
  } finally {
    await file.close()
  }
}

/** Reads the text of such a file. */
export async function readRegularText(path: string): Promise<string> {
  return (await readRegular(path)).bytes.toString()
}
