import { Failure } from '../../errors.ts'
import { firstAndMore } from '../first-and-more.ts'
import { nearest } from './nearest.ts'

/**
 * Returns the failure for a name that nobody knows, with the name that was probably meant and the names that exist. It
 * is used for all names that commands take.
 */
export function unknownName(what: string, name: string, known: readonly string[]): Failure {
  const meant = nearest(name, known)
  const question = meant === undefined ? '' : `; did you mean "${meant}"?`
  const names = [...new Set(known)].sort()
  return new Failure('wrong-usage', `there is no ${what} "${name}"${question}`, {
    hint:
      names.length === 0
        ? `No ${what} is known, so there is none to name.`
        : `There are: ${firstAndMore(names, most)}.`,
  })
}

const most = 20

/** Returns the name if it is known. Fails with `wrong-usage` if it is not. */
export function knownName(what: string, name: string, known: readonly string[]): string {
  if (known.includes(name)) return name
  throw unknownName(what, name, known)
}
