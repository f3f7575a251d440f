import { Failure } from '../errors.ts'
import { planJson } from '../plan/json.ts'
import { environmentStatus } from '../reconcile/environment-status.ts'
import { siteCertificates } from '../reconcile/site-certificates.ts'
import * as schema from '../schema/control.gen.ts'
import { approve, discard } from './answer-plan.ts'
import type { ControlOptions, Given } from './controlled.ts'
import { applicationOf, findEnvironment, nameOf, stateOfControlled, subjectOf } from './environments.ts'
import { certificateJson, drain, ingresses, undrain } from './ingress.ts'
import { progress } from './progress.ts'
import { resume, suspend } from './suspend.ts'

/** One request that the daemon answers. */
export type ControlRoute = {
  readonly method: 'GET' | 'POST'
  readonly url: string
  /** The validator of the query of a `GET` or the body of a `POST`, made of schemas/control.schema.json. */
  readonly accepts?: (value: unknown) => boolean
  /** Returns the answer: a text is sent as it is, anything else as JSON. */
  readonly run: (options: ControlOptions, given: Given) => unknown
}

/**
 * All requests of the control plane. A `POST` changes an input and asks for another pass, and does nothing else. The
 * one exception is draining a site, which is in no plan and has to work while no plan can be made.
 */
export const routes: readonly ControlRoute[] = [
  { method: 'GET', url: '/api/v1/environments', run: environments },
  { method: 'GET', url: '/api/v1/environments/:environment/plan', run: plan },
  {
    method: 'GET',
    url: '/api/v1/environments/:environment/progress',
    accepts: schema.progress,
    run: progress,
  },
  { method: 'GET', url: '/api/v1/ingress', run: ingresses },
  { method: 'GET', url: '/metrics', accepts: schema.metrics, run: metrics },
  { method: 'POST', url: '/api/v1/plans/:id/approve', accepts: schema.approve, run: approve },
  { method: 'POST', url: '/api/v1/plans/:id/discard', accepts: schema.discard, run: discard },
  { method: 'POST', url: '/api/v1/reconcile', accepts: schema.reconcile, run: reconcile },
  { method: 'POST', url: '/api/v1/suspend', accepts: schema.suspend, run: suspend },
  { method: 'POST', url: '/api/v1/resume', accepts: schema.resume, run: resume },
  { method: 'POST', url: '/api/v1/retry', accepts: schema.retry, run: retry },
  { method: 'POST', url: '/api/v1/drain', accepts: schema.drain, run: drain },
  { method: 'POST', url: '/api/v1/undrain', accepts: schema.undrain, run: undrain },
]

function environments({ running, nowMs }: ControlOptions): Promise<readonly object[]> {
  return Promise.all(
    running.map(async controlled => {
      const { world, loop } = controlled
      const certificates = await siteCertificates(world.engines, nowMs())
      const { state, seenMs } = stateOfControlled(controlled)
      const status = environmentStatus({
        environment: nameOf(controlled),
        journal: world.journal,
        state,
        seenMs,
        nowMs: nowMs(),
        loop: loop.state(),
        configuration: world.config.origin,
      })
      if (certificates.length === 0) return status
      const engines = certificates.map(({ site, role, certificate }) => ({
        site,
        role,
        ...certificateJson(certificate, nowMs()),
      }))
      return { ...status, engines }
    }),
  )
}

/** The library for metrics is loaded only once somebody asks for them. */
async function metrics(options: ControlOptions, given: Given): Promise<string> {
  return (await import('./metrics.ts')).metrics(options, given)
}

function plan({ running }: ControlOptions, { environment }: Given): object {
  const { loop } = findEnvironment(running, environment)
  const { last } = loop.state()
  if (last?.plan === undefined) throw new Failure('plan-changed', 'there is no plan yet')
  return planJson(last.plan, last.waiting.length > 0, last.sync)
}

async function reconcile({ running }: ControlOptions, given: Given): Promise<object> {
  const asked = given['environment'] === undefined ? running : [await subjectOf(running, given)]
  for (const { loop } of asked) loop.request('command')
  return { requested: asked.length }
}

async function retry({ running, journal }: ControlOptions, given: Given): Promise<object> {
  const controlled = await subjectOf(running, given)
  const { world, loop } = controlled
  const environment = nameOf(controlled)
  const application = (await applicationOf(controlled, given)) || undefined
  const released = journal.atOnce(
    () =>
      journal.release(environment, application) +
      journal.releaseBarred(environment, application) +
      journal.forgetTroubles(environment, application),
  )
  delete world.memory.lastApplied
  loop.request('command')
  return { released }
}
