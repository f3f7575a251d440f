import type { Snapshot } from '../../state/repository/snapshot.ts'
import { type NamedReader, namedReader } from './named-files.ts'
import { parseSpecification, type Specification, unusableSpecification } from './specification.ts'

/** Returns all specifications that an environment can name, each read and checked against its schema once. */
export type SpecificationReader = NamedReader<Specification>

/** Creates the reader of the specifications in a snapshot. */
export function specificationReader(snapshot: Snapshot): SpecificationReader {
  return namedReader(snapshot, {
    directory: 'applications',
    duplicate: 'duplicate-application',
    load: async () => parseSpecification,
    unusable: unusableSpecification,
    tokensOf: one => (one.state === 'valid' ? one : one.rest)?.document.tokens,
  })
}
