import { promises } from 'node:fs'
import { readRegularText } from '../../file/read-regular.ts'

/**
 * The files of a repository for isomorphic-git as far as it looks for refs, which it opens whatever they are. A pipe or
 * a device in the place of a ref is no ref.
 */
export const regularFiles = { promises: { ...promises, readFile } }

async function readFile(path: string): Promise<string> {
  try {
    return await readRegularText(path)
  } catch (error) {
    const isFile = !(error instanceof Error && 'code' in error && error.code === 'not a file')
    throw isFile ? error : Object.assign(new Error(`${path} is not a file`), { code: 'ENOENT' })
  }
}
