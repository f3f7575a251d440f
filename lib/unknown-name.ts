import { Failure } from './errors.ts'
import { nearest } from './nearest.ts'

/**
 * What is said to a person who names what nobody knows: the name that was most likely meant, and what there is. The
 * one place for all names that commands take.
 */
export function unknownName(what: string, name: string, known: readonly string[]): Failure {
  const meant = nearest(name, known)
  const question = meant === undefined ? '' : `; did you mean "${meant}"?`
  const names = [...new Set(known)].sort()
  const shown = names.slice(0, most).join(', ')
  const more = names.length > most ? ` and ${names.length - most} more` : ''
  return new Failure('wrong-usage', `there is no ${what} "${name}"${question}`, {
    hint:
      names.length === 0
        ? `No ${what} is known yet, so there is none to name.`
        : `There are: ${shown}${more}.`,
  })
}

const most = 20

/** The name as it is, when it is known; fails with `wrong-usage` when it is not. */
export function knownName(what: string, name: string, known: readonly string[]): string {
  if (known.includes(name)) return name
  throw unknownName(what, name, known)
}
