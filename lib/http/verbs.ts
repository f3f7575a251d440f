import { Failure } from '../errors.ts'
import { planJson } from '../plan/text/json.ts'
import { environmentStatus } from '../reconcile/environment-status.ts'
import { sitesOf } from '../reconcile/site.ts'
import { siteCertificates } from '../reconcile/site-certificates.ts'
import { approve, discard } from './answer-plan.ts'
import type { ControlOptions, Given } from './controlled.ts'
import { applicationOf, findEnvironment, nameOf, stateOfControlled, subjectOf } from './environments.ts'
import { certificateJson, drain, ingresses, undrain } from './ingress.ts'
import { metrics } from './metrics.ts'
import { progress } from './progress.ts'
import { resume, suspend } from './suspend.ts'

/** One request that the daemon answers. */
export type Verb = {
  readonly method: 'GET' | 'POST'
  readonly path: RegExp
  /** Returns the answer: a text is sent as it is, anything else as JSON. */
  readonly run: (options: ControlOptions, given: Given) => unknown
}

/**
 * All requests of the control plane. A `POST` changes an input and asks for another pass, and does nothing else. The
 * one exception is draining a site, which is in no plan and has to work while no plan can be made.
 */
export const verbs: readonly Verb[] = [
  { method: 'GET', path: /^\/api\/v1\/environments$/, run: environments },
  { method: 'GET', path: /^\/api\/v1\/environments\/(?<environment>[^/]+)\/plan$/, run: plan },
  { method: 'GET', path: /^\/api\/v1\/environments\/(?<environment>[^/]+)\/progress$/, run: progress },
  { method: 'GET', path: /^\/api\/v1\/ingress$/, run: ingresses },
  { method: 'GET', path: /^\/metrics$/, run: metrics },
  { method: 'POST', path: /^\/api\/v1\/plans\/(?<id>[^/]+)\/approve$/, run: approve },
  { method: 'POST', path: /^\/api\/v1\/plans\/(?<id>[^/]+)\/discard$/, run: discard },
  { method: 'POST', path: /^\/api\/v1\/reconcile$/, run: reconcile },
  { method: 'POST', path: /^\/api\/v1\/suspend$/, run: suspend },
  { method: 'POST', path: /^\/api\/v1\/resume$/, run: resume },
  { method: 'POST', path: /^\/api\/v1\/retry$/, run: retry },
  { method: 'POST', path: /^\/api\/v1\/drain$/, run: drain },
  { method: 'POST', path: /^\/api\/v1\/undrain$/, run: undrain },
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
  for (const { memory } of sitesOf(world)) delete memory.lastApplied
  loop.request('command')
  return { released }
}
