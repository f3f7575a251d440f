import { Failure } from '../errors.ts'
import { environmentName, isWrittenAs } from '../reconcile/environment-name.ts'
import { type LastState, stateAfter, stateOf } from '../reconcile/last-state.ts'
import { requestPass } from '../reconcile/pass-ends.ts'
import { timeout as abortAfter } from '../timer.ts'
import { knownName } from '../unknown-name.ts'
import { type Controlled, type Given, text } from './controlled.ts'

/** The environment that is named, or the only one. Fails with `wrong-usage`. */
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

/** Less than a command waits for us. */
const limitMs = 8_000

/**
 * The environment that a request is about, once it has a name: what is written down is written under that name. What
 * was never read is looked at first. Fails with `wrong-usage`, or `environment-unread` when nothing can be read.
 */
export async function subjectOf(running: readonly Controlled[], { environment }: Given): Promise<Controlled> {
  await Promise.all(running.filter(one => nameOf(one) === '').map(one => settled(one)))
  const found = findEnvironment(running, environment)
  if (nameOf(found) !== '') return found
  const [error] = found.loop.state().last?.errors ?? []
  const why = error === undefined ? '' : `: ${error.message}`
  throw new Failure('environment-unread', `the repository has not been read yet${why}`)
}

/** The application of a request, empty when it names none. Fails with `wrong-usage` when nobody knows it. */
export async function applicationOf(controlled: Controlled, { application }: Given): Promise<string> {
  const name = text(application)
  if (name === '') return ''
  if (!knownApplications(controlled).includes(name)) await settled(controlled)
  return knownName('application', name, knownApplications(controlled))
}

/** As read, or as configured; empty while neither says. */
export function nameOf({ world, loop }: Controlled): string {
  return loop.state().last?.desired?.environment ?? environmentName(world)
}

/** What was last seen of an environment, and when what runs was. */
export function stateOfControlled(controlled: Controlled): {
  readonly state: LastState | undefined
  readonly seenMs: number | undefined
} {
  const { world, loop } = controlled
  const { last, lastEndedMs } = loop.state()
  const kept = world.journal.keptState(nameOf(controlled))
  const known = stateOf(kept?.state)
  // On record is what this process did, and what one before it did; not what it only observes.
  if (last === undefined || last.passId !== undefined) return { state: known, seenMs: kept?.seenMs }
  const state = stateAfter(known, last, world.memory.lookedUp?.commit)
  return { state, seenMs: last.plan === undefined ? kept?.seenMs : lastEndedMs }
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

/** Once a pass that begins now has ended, or the time is over. */
async function settled({ loop, ends }: Controlled): Promise<void> {
  const signal = abortAfter(limitMs)
  await ends.result(requestPass(loop, ends), signal).catch(error => {
    if (!signal.aborted) throw error
  })
}
