import { metadataName } from '../../state/application/metadata.ts'
import { type Change, keyOf } from '../change/change.ts'
import type { Difference } from '../compare/diff.ts'

/**
 * A pod is changed once the metadata service was, or could not be: its apps may ask at once what they are (C53), and
 * run all the same if nobody answers.
 */
export function behindMetadata(
  changes: readonly Change[],
  differences: readonly Difference[],
): readonly Change[] {
  const pods = new Set(differences.filter(isPod).map(keyOf))
  const due = changes.filter(
    ({ application, cause, held }) =>
      application === metadataName && cause !== 'orphaned' && held === undefined,
  )
  if (pods.size === 0 || due.length === 0) return changes
  return changes.map(change =>
    pods.has(keyOf(change))
      ? {
          ...change,
          after: [...change.after, ...due.map(one => ({ key: keyOf(one), must: 'end' as const }))],
        }
      : change,
  )
}

function isPod({ declared }: Difference): boolean {
  return declared?.service.instances.some(({ sandbox }) => sandbox?.metadata !== undefined) ?? false
}
