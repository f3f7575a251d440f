/**
 * Returns what a service should have, as one value: the fingerprints of its instances with their numbers, whatever
 * order they are given in, and the mark of its routes if it loads any. `absent` for none.
 */
export function targetOf(fingerprints: readonly string[], routes?: string): string {
  if (fingerprints.length === 0) return 'absent'
  const instances = [...Map.groupBy(fingerprints, fingerprint => fingerprint)]
    .map(([fingerprint, same]) => `${same.length}×${fingerprint}`)
    .sort()
  return [...instances, ...(routes === undefined ? [] : [`routes:${routes}`])].join(' ')
}

/** Returns how many instances with a fingerprint a target has. */
export function countIn(target: string, fingerprint: string): number {
  const entry = target.split(' ').find(entry => entry.endsWith(`×${fingerprint}`))
  return entry === undefined ? 0 : Number.parseInt(entry, 10)
}
