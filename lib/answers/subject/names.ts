import { Failure } from '../../errors.ts'
import { knownName } from '../../text/suggestion/unknown-name.ts'
import type { Audience, Subject } from './subject.ts'

type Named = Pick<Subject, 'name' | 'isWrittenAs'>

/** Returns the environment that is named, or the only one. Fails with `wrong-usage`. */
export function findEnvironment<One extends Named>(
  subjects: readonly One[],
  environment: string | undefined,
): One {
  const [only, ...others] = subjects
  if (environment === undefined && only !== undefined && others.length === 0) return only
  const names = subjects.map(one => one.name()).filter(name => name !== '')
  if (environment === undefined)
    throw new Failure('wrong-usage', 'several environments run here; name one', {
      hint: `There are: ${names.join(', ')}.`,
    })
  const [meant, ...more] = subjects.filter(one => one.isWrittenAs(environment))
  if (meant !== undefined && more.length === 0 && !names.includes(environment)) return meant
  const name = knownName('environment', environment, names)
  const found = subjects.find(one => one.name() === name)
  if (found === undefined) throw new Failure('internal', `environment ${name} is known and not there`)
  return found
}

/** Shorter than the time that a command waits for the answer. */
const limitMs = 8_000

/**
 * Returns the environment that is spoken about once it has a name, because everything is recorded under that name: the
 * one that is named, the only one, or the only one that has what is spoken about. Has an environment read that never
 * was. Fails with `wrong-usage`, or with `environment-unread` if nothing can be read.
 */
export async function subjectOf(
  { subjects }: Audience,
  environment: string | undefined,
  hasIt: (subject: Subject) => boolean = () => false,
): Promise<Subject> {
  await Promise.all(subjects.filter(one => one.name() === '').map(one => one.look(limitMs)))
  const isAllRead = subjects.every(one => one.name() !== '')
  const [only, ...others] = environment === undefined && isAllRead ? subjects.filter(hasIt) : []
  const found = only !== undefined && others.length === 0 ? only : findEnvironment(subjects, environment)
  if (found.name() !== '') return found
  const [error] = found.found().errors
  const why = error === undefined ? '' : `: ${error.message}`
  throw new Failure('environment-unread', `the repository has not been read yet${why}`)
}

/** Returns the names of all applications that an environment has or had. */
export function applicationsOf({ journal }: Pick<Audience, 'journal'>, subject: Subject): readonly string[] {
  return [...subject.applications(), ...journal.knownApplications(subject.name())]
}

/** Returns the application that is named; undefined if none is. Fails with `wrong-usage` if nobody knows it. */
export async function applicationOf(
  audience: Audience,
  subject: Subject,
  application: string | undefined,
): Promise<string | undefined> {
  if (application === undefined || application === '') return undefined
  const known = () => applicationsOf(audience, subject)
  if (!known().includes(application)) await subject.look(limitMs)
  return knownName('application', application, known())
}
