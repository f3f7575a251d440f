/** Whether the system refused a write because the disk, or the share of it that a user may have, is full. */
export function hasNoRoom(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')
}
