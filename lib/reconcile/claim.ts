import type { Engine } from '../engine.ts'
import { Failure } from '../errors.ts'
import { environmentInWords, type Identity } from '../state/identity.ts'
import type { ClaimResult, EngineDoor } from '../writer.ts'
import type { World } from './world.ts'

type Rival = Extract<ClaimResult, { readonly isOurs: false }>

/**
 * Claims an environment on its engines, so that each has one writer. Undefined if this process is the writer; otherwise
 * the failure names the other one, and this process only observes. Records the name of the environment.
 */
export async function claim(
  { writer, engines, memory, journal, log }: World,
  identity: Identity,
  signal: AbortSignal,
): Promise<Failure | undefined> {
  if (memory.claimed) return undefined
  const answers = await Promise.allSettled(engines.map(engine => doorOf(engine, signal)))
  const doors = answers.flatMap(answer => (answer.status === 'fulfilled' ? [answer.value] : []))
  const { environment, source, address, directory } = identity
  const claimed = await writer.claim(memory, { environment, source, address, directory }, doors)
  if (!claimed.isOurs) return rivalFailure(identity, claimed)
  if (claimed.strangers !== undefined && !memory.isUsurped) log.warn(usurped(environment, claimed.strangers))
  memory.isUsurped = claimed.strangers !== undefined
  journal.setEnvironment(identity)
  memory.claimed = doors.length === engines.length && !memory.isUsurped
  return undefined
}

async function doorOf({ info, socket }: Engine, signal: AbortSignal): Promise<EngineDoor> {
  const { id } = await info(signal)
  return socket === undefined ? { id } : { id, socket }
}

function usurped(environment: string, [...holders]: readonly string[]): string {
  const who = holders.length === 0 ? 'no process' : holders.join(', ')
  return `${who} holds the name by which other users see that ${environment} is written here, and is passed over, because it may not open the engine's socket`
}

function rivalFailure(ours: Identity, { rival, silent }: Rival): Failure {
  const { environment, address } = ours
  if (rival === undefined) {
    const who = silent === undefined || silent.holders.length === 0 ? '' : `, ${silent.holders.join(', ')}`
    return new Failure(
      'another-writer',
      `another tallyman runs ${environment} here${who}; this one only observes`,
      silent === undefined ? {} : { hint: silentHint(silent.name) },
    )
  }
  return new Failure(
    'another-writer',
    `another tallyman runs ${environment} here, ${environmentInWords(rival)}; this one only observes ${environmentInWords(ours)}`,
    address === rival.address
      ? {}
      : {
          hint: 'If these are two repositories, give one of them a name of its own: "repository: {name: …}" in its configuration.',
        },
  )
}

/** A Tallyman says who it is, unless it is stopped or busy. This holder does not. */
function silentHint(name: string): string {
  return `Find it with "sudo ss -xap | grep ${name}", and end it, unless it is a tallyman: then use that one.`
}
