import { readdirSync, statSync } from 'node:fs'

/** Returns the names of what is in a directory of a repository or of the store; none if there is no such directory. */
export function namesInDirectory(directory: string): readonly string[] {
  return statSync(directory, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(directory) : []
}
