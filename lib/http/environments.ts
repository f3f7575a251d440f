import { Failure } from '../errors.ts'
import { environmentName, isWrittenAs } from '../reconcile/environment-name.ts'
import { type KnownBefore, keptTogether, stateAfter } from '../reconcile/last-state.ts'
import { lookAgain } from '../reconcile/pass-ends.ts'
import { timeout as abortAfter } from '../timer.ts'
import { knownName } from '../unknown-name.ts'
import { type Controlled, type Given, text } from './controlled.ts'

/** Returns the environment that is named, or the only one. Fails with `wrong-usage`. */
export function findEnvironment(running: readonly Controlled[], environment: unknown): Controlled {
  const [only, ...others] = running
  if (environment === undefined && only !== undefined && others.length === 0) return only
  const names = running.map(nameOf).filter(name => name !== '')
  if (environment === undefined)
    throw new Failure('wrong-usage', 'several environments run here; name one', {
      hint: `There are: ${names.join(', ')}.`,
    })
  const [meant, ...more] = running.filter(({ world }) => isWrittenAs(world, text(environment)))
  if (meant !== undefined && more.length === 0 && !names.includes(text(environment))) return meant
  const name = knownName('environment', text(environment), names)
  const found = running.find(one => nameOf(one) === name)
  if (found === undefined) throw new Failure('internal', `environment ${name} is known and not there`)
  return found
}

/** Shorter than the time that a command waits for the answer. */
const limitMs = 8_000

/**
 * Returns the environment of a request once it has a name, because everything is recorded under that name. Starts a
 * pass for an environment that was never read. Fails with `wrong-usage`, or with `environment-unread` if nothing can be
 * read.
 */
export async function subjectOf(running: readonly Controlled[], { environment }: Given): Promise<Controlled> {
  await Promise.all(running.filter(one => nameOf(one) === '').map(one => settled(one)))
  const found = findEnvironment(running, environment)
  if (nameOf(found) !== '') return found
  const [error] = found.loop.state().last?.errors ?? []
  const why = error === undefined ? '' : `: ${error.message}`
  throw new Failure('environment-unread', `the repository has not been read yet${why}`)
}

/** Returns the application of a request; empty if it names none. Fails with `wrong-usage` if nobody knows it. */
export async function applicationOf(controlled: Controlled, { application }: Given): Promise<string> {
  const name = text(application)
  if (name === '') return ''
  if (!knownApplications(controlled).includes(name)) await settled(controlled)
  return knownName('application', name, knownApplications(controlled))
}

/** Returns the name that was read, or else the configured one; empty if neither is known. */
export function nameOf({ world, loop }: Controlled): string {
  return loop.state().last?.desired?.environment ?? environmentName(world)
}

/** Returns the last known state of an environment, and when its containers were last seen. */
export function stateOfControlled(controlled: Controlled): KnownBefore {
  const { world, loop } = controlled
  const { last, lastEndedMs } = loop.state()
  const known = keptTogether(world.journal, nameOf(controlled))
  // The journal has what this process and earlier ones did, but not what this process only observes.
  if (last === undefined || last.passId !== undefined) return known
  const state = stateAfter(known, last, world.memory.lookedUp?.commit)
  return { state, seenMs: state?.isSeen ? lastEndedMs : known.seenMs }
}

function knownApplications(controlled: Controlled): readonly string[] {
  const { world, loop } = controlled
  const { desired } = loop.state().last ?? {}
  return [
    ...(desired?.applications ?? []).map(({ name }) => name),
    ...(desired?.blocked ?? []).map(({ application }) => application),
    ...(stateOfControlled(controlled).state?.applications ?? []).map(({ application }) => application),
    ...world.journal.knownApplications(nameOf(controlled)),
  ]
}

/** Waits until everything was looked at again, or for the time limit. */
async function settled({ loop, ends }: Controlled): Promise<void> {
  const signal = abortAfter(limitMs)
  await lookAgain(loop, ends, signal).catch(error => {
    if (!signal.aborted) throw error
  })
}
