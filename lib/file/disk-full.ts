import { statfsSync } from 'node:fs'

/** Whether the system refused a write because the disk, or the user's share of it, is full. */
export function hasNoRoom(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')
}

/** Whether there is no room left where a directory is; not, if that cannot be told. */
export function isFull(directory: string): boolean {
  try {
    const { bavail, blocks } = statfsSync(directory)
    return blocks > 0 && bavail === 0
  } catch {
    return false
  }
}
