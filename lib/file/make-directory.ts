import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Creates a directory and its missing parents, for their owner alone (0700). Existing ones stay unchanged. Fails with
 * the system's error. Node's own recursive function never ends if nothing can be created, as below `/proc`.
 */
export function makeDirectory(path: string): void {
  try {
    makeOne(path)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw error
    makeDirectory(dirname(path))
    makeOne(path)
  }
}

function makeOne(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if (codeOf(error) !== 'EEXIST' || !statSync(path).isDirectory()) throw error
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
