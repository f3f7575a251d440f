import { Failure } from '../errors.ts'
import { ownerInWords } from '../state/identity.ts'
import type { Labels } from '../state/labels.ts'

/**
 * Returns the failure if something of another owner has the name of what is to be created. It says whose that is.
 * @param labels those of what has the name
 */
export function nameTaken(site: string, resource: string, labels: Labels): Failure {
  const message = `${site}: ${resource}: something else already has this name: it is ${ownerInWords(labels)}`
  return new Failure('name-taken', message, { resource })
}
