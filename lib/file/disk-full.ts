/** Whether the system refused a write because the disk, or the user's share of it, is full. */
export function hasNoRoom(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')
}
