import { Failure } from '../../errors.ts'

/** Returns the failure if something of another owner has the name of what is to be created. */
export function nameTaken(site: string, resource: string): Failure {
  return new Failure('name-taken', `${site}: ${resource}: something else already has this name`, {
    resource,
  })
}
