import { Failure, toFailure } from '../../../errors.ts'
import { environmentInWords, type Identity } from '../../../state/identity.ts'
import type { ClaimResult, EngineDoor } from '../../../writer.ts'
import { identityOf } from '../identity/twin.ts'
import { isStillThere, type SiteWorld } from '../site.ts'
import { claimOnEngine } from './claim-on-engine.ts'
import { heedOthers } from './heed-others.ts'
import type { ClaimManner, SiteClaim } from './site-claim.ts'

type Rival = Extract<ClaimResult, { readonly isOurs: false }>

/**
 * Claims an environment on a site, so that it has one writer there: first among the processes of this machine, then on
 * the engine itself, where other machines see it. Records the name of the environment.
 */
export async function claim(
  site: SiteWorld,
  identity: Identity,
  manner: ClaimManner,
  signal: AbortSignal,
): Promise<SiteClaim> {
  const onMachine = await claimOnMachine(site, identity, signal)
  if (onMachine.state === 'rival') await heedRival(site, identity, signal)
  return onMachine.state === 'ours' ? claimOnEngine(site, identity, manner, signal) : onMachine
}

/** Heeds whoever writes instead of this process on the same machine. An engine that is silent tells nothing. */
async function heedRival(site: SiteWorld, identity: Identity, signal: AbortSignal): Promise<void> {
  const { claims } = site.world
  const mark = await claims.mark(site.engine, identity, signal).catch(() => undefined)
  if (mark !== undefined) heedOthers(site, identity, new Set([mark]))
}

/**
 * The sites of an environment have one claim between them on this machine, because engines on copied machines have the
 * same id: that two sites are not one engine is seen to by `takeEngine`.
 */
async function claimOnMachine(site: SiteWorld, identity: Identity, signal: AbortSignal): Promise<SiteClaim> {
  const { world, memory } = site
  const { writership } = memory
  const { writer, journal, log } = world
  const { environment, source, address, directory } = identity
  if (writership.isHeld(environment)) return { state: 'ours' }
  let door: EngineDoor
  try {
    door = await doorOf(site, signal)
  } catch (error) {
    journal.setEnvironment(identity)
    return { state: 'silent', failure: toFailure(error) }
  }
  const claimed = await writer.claim(world.memory, { environment, source, address, directory }, [door])
  if (!claimed.isOurs) return { state: 'rival', failure: rivalFailure(identity, claimed) }
  if (claimed.strangers !== undefined && !writership.isUsurped())
    log.warn(usurped(environment, claimed.strangers))
  writership.claimed(environment, door.id, claimed.strangers !== undefined)
  if (isStillThere(site)) world.memory.engines.noteClaimed(site.engine.site, door.id)
  return { state: 'ours' }
}

/**
 * Gives up the claims on a site that the environment left, so that another process may write there. Engines on copied
 * machines have one id, so the claim on this machine stays while another site of the environment has it.
 */
export async function giveUp(site: SiteWorld): Promise<void> {
  const { world, engine, memory } = site
  const keeper = memory.writership.anyKeeper()
  if (keeper !== undefined) await world.claims.leave(keeper)
  const id = memory.writership.engineId()
  if (id === undefined) return
  const there = world.memory.engines.claimedOn(id)
  // Another site may have its name by now.
  const isAmong = there.has(engine.site) && isStillThere(site)
  if (there.size === (isAmong ? 1 : 0)) await world.writer.leave(world.memory, id)
}

/** An engine that is asked says who it is, too, which is not asked of the only one. */
async function doorOf(here: SiteWorld, signal: AbortSignal): Promise<EngineDoor> {
  const { site, info, socket } = here.engine
  const { engines } = here.world.memory
  const told = await info(signal)
  const { id } = told
  if (isStillThere(here) && engines.engineOf(site) === undefined) engines.meet(site, identityOf(told))
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
  const where = rival.who === undefined ? '' : `${rival.who}, `
  const [theirs, own] = [environmentInWords(rival), environmentInWords(ours)]
  return new Failure(
    'another-writer',
    `another tallyman runs ${environment} here, ${where}${theirs}; this one only observes${own === theirs ? '' : ` ${own}`}`,
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
