import type { Journal } from '../../../journal/journal.ts'
import type { InstanceSpecification } from '../../../plan/compare/field/fields.ts'

/**
 * Returns what running instances were made from, by their fingerprints; undefined: that is not on record. The journal
 * contains what Tallyman itself wrote into it, by its hash.
 */
export function knownInstances(
  journal: Pick<Journal, 'instance'>,
): (fingerprint: string) => InstanceSpecification | undefined {
  return fingerprint => journal.instance(fingerprint) as InstanceSpecification | undefined
}
