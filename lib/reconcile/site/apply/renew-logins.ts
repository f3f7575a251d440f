import { toFailure } from '../../../errors.ts'
import { keyOf } from '../../../plan/change/change.ts'
import { linkedAbort } from '../../../wait/linked-abort.ts'
import type { Found } from '../result/pass-result.ts'
import type { SiteWorld } from '../site.ts'
import { holdClaim } from '../writer/hold-claim.ts'

/**
 * Has a Swarm pull with the logins of now. This is no change of what runs, so no plan has it, and a failure is only
 * logged: the next pass tries again. What an attempt left in its middle and what is suspended is left alone: the
 * specification before is still needed there, or nothing is to be touched.
 */
export async function renewLoginsOn(
  site: SiteWorld,
  { desired, seen }: Pick<Found, 'desired' | 'seen'>,
  signal: AbortSignal,
): Promise<void> {
  const { world, engine } = site
  if (engine.renewLogins === undefined || !('live' in seen)) return
  const { journal, nowMs, log } = world
  const { environment } = desired
  const suspended = new Set(journal.suspensions(environment, nowMs()).map(({ application }) => application))
  if (suspended.has(undefined)) return
  const attempts = journal.attempts(environment, engine.site)
  const settled = seen.live.containers.filter(one => {
    const key = keyOf({ ...one, site: engine.site })
    const isDone = (attempts.get(key)?.phase ?? 'ended') === 'ended'
    return one.role === 'app' && isDone && !suspended.has(one.application)
  })
  using hold = holdClaim(site, environment)
  try {
    using either = linkedAbort(signal, hold.lost)
    const services = await engine.guarded(hold.certainly).renewLogins?.(settled, desired, either.signal)
    if (services !== undefined && services.length > 0)
      log.info('the Swarm has another login for a registry', { site: engine.site, environment, services })
  } catch (error) {
    const { message, code } = toFailure(error)
    if (!signal.aborted)
      log.warn('the Swarm keeps the login for a registry that it had', {
        site: engine.site,
        code,
        reason: message,
      })
  }
}
