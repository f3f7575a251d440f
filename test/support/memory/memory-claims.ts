import type { ClaimVolume, ClaimVolumes } from '../../../lib/state/claim-volume.ts'
import { claimLabel } from '../../../lib/state/labels.ts'

/** The volumes of claims of an engine in memory, and what was done to them. */
export type MemoryClaims = ClaimVolumes & {
  readonly volumes: Map<string, ClaimVolume>
  /** Every call in order: `list`, `create 1`, `remove ask`. */
  readonly calls: string[]
}

/** An engine that has none yet. As on a real one, only the first of several that create one name its labels. */
export function memoryClaims(): MemoryClaims {
  const volumes = new Map<string, ClaimVolume>()
  const calls: string[] = []
  return {
    volumes,
    calls,
    async list(claim) {
      calls.push('list')
      return [...volumes.values()].filter(({ labels }) => labels?.[claimLabel.claim] === claim)
    },
    async create(name, labels) {
      calls.push(`create ${shortName(name)}`)
      const volume = volumes.get(name) ?? { name, labels, createdAt: '2026-03-01T12:00:00+01:00' }
      volumes.set(name, volume)
      return volume
    },
    async remove(name) {
      calls.push(`remove ${shortName(name)}`)
      volumes.delete(name)
    },
  }
}

function shortName(name: string): string {
  return name.split('-')[3] ?? name
}
