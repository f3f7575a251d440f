import type { Engine } from '../../engine.ts'
import { Failure, toFailure } from '../../errors.ts'
import { environmentInWords, type Identity } from '../../state/identity.ts'
import type { ClaimResult, EngineDoor } from '../../writer.ts'
import type { SiteWorld } from './site.ts'

type Rival = Extract<ClaimResult, { readonly isOurs: false }>

/**
 * Whether this process is the writer on a site. `rival`: another one is, whom the failure names, and this process only
 * observes. `silent`: the site does not answer, so that nobody can tell.
 */
export type SiteClaim =
  | { readonly state: 'ours' }
  | { readonly state: 'rival' | 'silent'; readonly failure: Failure }

/**
 * Claims an environment on a site, so that it has one writer there. Records the name of the environment. The sites of
 * an environment have one claim between them, because engines on copied machines have the same id: that two sites are
 * not one engine is seen to by `takeEngine`.
 */
export async function claim(
  { world, engine, memory: { writership } }: SiteWorld,
  identity: Identity,
  signal: AbortSignal,
): Promise<SiteClaim> {
  const { writer, journal, log } = world
  const { environment, source, address, directory } = identity
  if (writership.isHeld(environment)) return { state: 'ours' }
  let door: EngineDoor
  try {
    door = await doorOf(engine, signal)
  } catch (error) {
    journal.setEnvironment(identity)
    return { state: 'silent', failure: toFailure(error) }
  }
  const claimed = await writer.claim(world.memory, { environment, source, address, directory }, [door])
  if (!claimed.isOurs) return { state: 'rival', failure: rivalFailure(identity, claimed) }
  if (claimed.strangers !== undefined && !writership.isUsurped())
    log.warn(usurped(environment, claimed.strangers))
  journal.setEnvironment(identity)
  writership.claimed(environment, door.id, claimed.strangers !== undefined)
  return { state: 'ours' }
}

/**
 * Gives up the claim on a site that the environment left, so that another process may write there. Engines on copied
 * machines have one id, so the claim stays while another site of the environment has it.
 */
export async function giveUp({ world, memory }: SiteWorld): Promise<void> {
  const id = memory.writership.engineId()
  const others = world.engines.map(({ site }) => world.memory.sites.of(site)).filter(one => one !== memory)
  if (id === undefined || others.some(({ writership }) => writership.engineId() === id)) return
  await world.writer.leave(world.memory, id)
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
