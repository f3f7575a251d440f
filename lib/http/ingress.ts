import { Failure } from '../errors.ts'
import { askIngresses } from '../reconcile/ask-ingresses.ts'
import type { CertificateStatus } from '../reconcile/certificates.ts'
import type { IngressStatus } from '../reconcile/ingress-status.ts'
import { timeout as abortAfter } from '../timer.ts'
import { unknownName } from '../unknown-name.ts'
import { type Controlled, type ControlOptions, type Given, text } from './controlled.ts'
import { nameOf, subjectOf } from './environments.ts'

/** Returns what the ingresses of all environments report, site by site. */
export function ingresses({ running, nowMs }: ControlOptions): Promise<readonly object[]> {
  return Promise.all(
    running.map(async controlled => ({
      environment: nameOf(controlled),
      sites: (await statusOf(controlled)).map(status => siteJson(status, nowMs())),
    })),
  )
}

/** Returns the reports of the ingresses of an environment, some seconds old at most; none before the first pass. */
export async function statusOf({ world, loop }: Controlled): Promise<readonly IngressStatus[]> {
  const { last } = loop.state()
  return last === undefined ? [] : askIngresses(world, last)
}

/** Makes a site report to load balancers that it is drained, so that they send it no requests. */
export function drain(options: ControlOptions, given: Given): Promise<object> {
  return setDraining(options, given, true)
}

/** Ends the draining of a site. */
export function undrain(options: ControlOptions, given: Given): Promise<object> {
  return setDraining(options, given, false)
}

/** Shorter than the time that the command waits for the answer. */
const limitMs = 8_000

async function setDraining({ running }: ControlOptions, given: Given, isDraining: boolean): Promise<object> {
  const controlled = await subjectOf(running, given)
  const { world } = controlled
  const { site, who } = given
  const names = world.engines.map(engine => engine.site)
  const engine = world.engines.find(engine => engine.site === site)
  if (engine === undefined) throw unknownName('site', text(site), names)
  const { identity } = world.memory
  if (identity === undefined)
    throw new Failure(
      'wrong-usage',
      `${nameOf(controlled)} has not been read yet, so its ingress is not known`,
    )
  await engine.setDraining(identity, isDraining, abortAfter(limitMs))
  delete world.memory.ingress
  world.log.info(isDraining ? 'site drained' : 'site no longer drained', {
    site: engine.site,
    who: String(who),
  })
  return { site: engine.site, isDraining }
}

function siteJson(status: IngressStatus, nowMs: number): object {
  const { site } = status
  if ('failure' in status) {
    const { code, message, hint } = status.failure
    return { site, error: { code, message, hint } }
  }
  const { isDraining, certificates } = status
  return { site, isDraining, certificates: certificates.map(one => certificateJson(one, nowMs)) }
}

const dayMs = 86_400_000

/** Returns a certificate in the form that `status` shows. */
export function certificateJson(certificate: CertificateStatus, nowMs: number): object {
  const { state, names } = certificate
  if (!('expiresMs' in certificate)) return { names, state }
  const { issuer, expiresMs } = certificate
  const expires = new Date(expiresMs).toISOString()
  return { names, state, issuer, expires, daysLeft: Math.floor((expiresMs - nowMs) / dayMs) }
}
