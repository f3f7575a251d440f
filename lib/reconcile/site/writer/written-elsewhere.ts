import type { Engine } from '../../../engine.ts'
import { Failure } from '../../../errors.ts'
import type { Journal } from '../../../journal/journal.ts'
import type { Identity } from '../../../state/identity.ts'
import { claimSeen, writerInWords } from '../../../writer/engine-claims.ts'
import type { EngineClaim } from '../../../writer/on-engine/claim.ts'
import type { Claimant } from '../../../writer/on-engine/machine.ts'
import type { Writer } from '../../../writer.ts'
import { createPools } from '../../concurrency/pools.ts'

/** Who writes on sites instead of this process, by site, and the sites that did not say. */
export type WrittenElsewhere = {
  readonly rivals: ReadonlyMap<string, Failure>
  readonly unasked: readonly string[]
}

export type Asking = {
  readonly engines: readonly Engine[]
  readonly identity: Identity
  readonly journal: Pick<Journal, 'knownMarks'>
  readonly writer: Writer
  readonly me: Claimant
}

/**
 * Asks engines who writes to an environment there, for a process that does not want to write (D17). A claim that the
 * journal knows is not another one's: a process with this journal left it when it was killed. Nor is one of this machine
 * whose process has ended. Whether one of another machine has, only somebody who waits for the claim learns.
 */
export async function writtenElsewhere(
  { engines, ...asking }: Asking,
  signal: AbortSignal,
): Promise<WrittenElsewhere> {
  const rivals = new Map<string, Failure>()
  const unasked: string[] = []
  const { look } = createPools()
  await Promise.all(
    engines.map(async engine => {
      try {
        const rival = await look(engine.site, () => rivalOn(engine, asking, signal))
        if (rival !== undefined) rivals.set(engine.site, rival)
      } catch {
        unasked.push(engine.site)
      }
    }),
  )
  return { rivals, unasked: unasked.sort() }
}

async function rivalOn(
  engine: Engine,
  { identity, journal, writer, me }: Omit<Asking, 'engines'>,
  signal: AbortSignal,
): Promise<Failure | undefined> {
  const { site } = engine
  const claim = await claimSeen(engine, identity, signal)
  if (claim === undefined || journal.knownMarks(identity.environment, site).includes(claim.mark))
    return undefined
  if (claim.machine === me.machine && !(await isHeldHere(engine, identity, writer, signal))) return undefined
  return elsewhere(site, identity, claim)
}

/** Whether a process of this machine has the claim that ends with it. */
async function isHeldHere(
  { info, socket }: Engine,
  identity: Identity,
  writer: Writer,
  signal: AbortSignal,
): Promise<boolean> {
  const { id } = await info(signal)
  const claimant = {}
  const { isOurs } = await writer.claim(claimant, identity, [socket === undefined ? { id } : { id, socket }])
  if (isOurs) await writer.leave(claimant, id)
  return !isOurs
}

function elsewhere(site: string, identity: Identity, claim: EngineClaim): Failure {
  return new Failure(
    'another-writer',
    `${site}: another tallyman runs ${writerInWords(identity, claim)}, and does not learn what is said here`,
    { hint: elsewhereHint },
  )
}

const elsewhereHint =
  'Say it to the one that runs. If that one is gone for good, run "tallyman apply" or "tallyman daemon" here first: after a minute without an answer, it takes over.'
