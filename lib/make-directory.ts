import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a directory and those above it that are missing, for their owner alone (0700); one that is there stays as it
 * is. Fails with the system's error. Node's own recursive way never ends where nothing can be made, as below `/proc`.
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
