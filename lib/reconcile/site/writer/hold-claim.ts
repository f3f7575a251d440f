import { isUnreachable } from '../../../errors/site-unreachable.ts'
import { Failure, toFailure } from '../../../errors.ts'
import type { SiteWorld } from '../site.ts'
import { noteWhose } from './claim-for-pass.ts'

/** The claim on an engine while a pass changes something there. */
export type HeldClaim = Disposable & {
  /** Aborts when another process is the writer. */
  readonly lost: AbortSignal
  /** Why it was lost; undefined: it was not. */
  why(): Failure | undefined
  /**
   * Resolves if this process is the writer. Fails with `interrupted` if another one is, once `lost` has aborted, and as
   * the engine does if it does not say.
   */
  certainly(): Promise<void>
}

/** Watches over the claim until what is returned is disposed of (D17). */
export function holdClaim(site: SiteWorld, environment: string): HeldClaim {
  const { writership } = site.memory
  const [losing, ending] = [new AbortController(), new AbortController()]
  const keeper = writership.keeper(environment)
  const certainly = async (asked: Promise<void> | undefined) => {
    try {
      await asked
    } catch (error) {
      const failure = heedLoss(site, toFailure(error))
      if (failure.code !== 'another-writer') throw failure
      losing.abort(failure)
      throw new Failure('interrupted', 'stopped before it was done', { cause: failure })
    }
  }
  // An engine that does not answer is found out by the steps themselves.
  writership.onNews(() => void certainly(keeper?.secure()).catch(() => undefined), ending.signal)
  return {
    lost: losing.signal,
    why: () => (losing.signal.reason instanceof Failure ? losing.signal.reason : undefined),
    certainly: () => certainly(keeper?.hold()),
    [Symbol.dispose]: () => ending.abort(),
  }
}

/**
 * Makes sure that this process is the writer on a site, before a pass begins to change something there. Returns why it is
 * not. An engine that does not answer is found out by the steps.
 */
export async function secureClaim(site: SiteWorld, environment: string): Promise<Failure | undefined> {
  try {
    await site.memory.writership.keeper(environment)?.secure()
    return undefined
  } catch (error) {
    const failure = heedLoss(site, toFailure(error))
    return isUnreachable(failure) ? undefined : failure
  }
}

/** Notes of a failure to hold a claim that another process writes instead, if it says so. */
function heedLoss(site: SiteWorld, failure: Failure): Failure {
  if (failure.code === 'another-writer') {
    site.memory.writership.setRival(failure)
    noteWhose(site, 'theirs')
  }
  return failure
}
