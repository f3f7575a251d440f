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

/**
 * Returns the name of a site if it is known. Fails with `wrong-usage` if it is not, and says so if it is one whose file
 * cannot be used.
 * @param unusable why files of sites cannot be used, by the names of the sites
 */
export function knownSite(
  name: string,
  known: readonly string[],
  unusable: ReadonlyMap<string, Pick<Failure, 'message' | 'hint'>>,
): string {
  const why = known.includes(name) ? undefined : unusable.get(name)
  if (why === undefined) return knownName('site', name, known)
  throw new Failure('wrong-usage', `the file of the site "${name}" cannot be used: ${why.message}`, {
    hint: why.hint,
  })
}
