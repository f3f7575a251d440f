import { Failure } from '../../errors.ts'

/** A thing that is not ours bears the name of one that is to be. */
export function nameTaken(site: string, resource: string): Failure {
  return new Failure('name-taken', `${site}: ${resource}: something else already has this name`, {
    resource,
  })
}
