/**
 * What a service is to have, as one value: the fingerprints of its instances, each with how many there are, in any
 * order given, and the mark of the routes that it loads, if any. `absent` for none. Approvals, quarantine and what was
 * last applied are bound to it.
 */
export function targetOf(fingerprints: readonly string[], routes?: string): string {
  if (fingerprints.length === 0) return 'absent'
  const instances = [...Map.groupBy(fingerprints, fingerprint => fingerprint)]
    .map(([fingerprint, same]) => `${same.length}×${fingerprint}`)
    .sort()
  return [...instances, ...(routes === undefined ? [] : [`routes:${routes}`])].join(' ')
}

/** How many instances of a fingerprint a target has. */
export function countIn(target: string, fingerprint: string): number {
  const entry = target.split(' ').find(entry => entry.endsWith(`×${fingerprint}`))
  return entry === undefined ? 0 : Number.parseInt(entry, 10)
}
