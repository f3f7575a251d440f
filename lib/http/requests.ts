import { approve } from '../answers/approve.ts'
import { abortDeployment, pauseDeployment, redeploy } from '../answers/deployment.ts'
import { discard } from '../answers/discard.ts'
import { drain, undrain } from '../answers/drain.ts'
import type { EnvironmentQuery } from '../answers/request.gen.ts'
import { requestPasses } from '../answers/request-passes.ts'
import { resume } from '../answers/resume.ts'
import { retry } from '../answers/retry.ts'
import { rollback } from '../answers/rollback.ts'
import { owner, type Speaker } from '../answers/subject/speaker.ts'
import type { Audience } from '../answers/subject/subject.ts'
import { suspend } from '../answers/suspend.ts'
import { deleteUpgrade, forceUpgrade, wouldForce } from '../answers/upgrade.ts'
import { Failure } from '../errors.ts'
import { planJson } from '../plan/text/json.ts'
import { knownOfRuns } from '../reconcile/status/deployment/known-of-runs.ts'
import { environmentStatus, type StatusSource } from '../reconcile/status/environment-status.ts'
import { siteCertificates } from '../reconcile/status/ingress/site-certificates.ts'
import { engineCertificateDocument, type StatusDocument } from '../reconcile/status/status-document.ts'
import * as schema from '../schema/control.gen.ts'
import type { ControlOptions } from './controlled.ts'
import { findControlled, nameOfControlled, stateOfControlled } from './environments.ts'
import { ingresses } from './ingresses.ts'
import { progress } from './progress.ts'
import { siteDocuments, sitesOfEnvironment } from './sites.ts'
import { audienceOf } from './subjects.ts'

/** One request that the daemon answers. */
export type ControlRoute = {
  readonly method: 'GET' | 'POST'
  readonly url: string
  /** The validator of the query of a `GET` or the body of a `POST`, made of schemas/control.schema.json. */
  readonly accepts?: (value: unknown) => boolean
  /**
   * Returns the answer: a text that is made as it is sent, or what is sent as JSON. It is given what the validator accepted, and
   * the names in the path.
   */
  readonly run: (options: ControlOptions, given: never) => unknown
}

/**
 * All requests of the control plane. A `POST` changes an input and asks for another pass, and does nothing else. The
 * exceptions are draining a site, which is in no plan and has to work while no plan can be made, and a `question`, which
 * changes nothing.
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
  { method: 'GET', url: '/api/v1/sites', run: siteDocuments },
  // Whether the daemon answers, which takes as long with any number of sites.
  { method: 'GET', url: '/healthz', run: () => ({ answers: true }) },
  { method: 'GET', url: '/metrics', accepts: schema.metrics, run: metrics },
  { method: 'POST', url: '/api/v1/plans/:id/approve', accepts: schema.approve, run: say(approve) },
  { method: 'POST', url: '/api/v1/plans/:id/discard', accepts: schema.discard, run: say(discard) },
  { method: 'POST', url: '/api/v1/reconcile', accepts: schema.reconcile, run: say(requestPasses) },
  { method: 'POST', url: '/api/v1/suspend', accepts: schema.suspend, run: say(suspend) },
  { method: 'POST', url: '/api/v1/resume', accepts: schema.resume, run: say(resume) },
  { method: 'POST', url: '/api/v1/retry', accepts: schema.retry, run: say(retry) },
  { method: 'POST', url: '/api/v1/rollback', accepts: schema.rollback, run: say(rollback) },
  { method: 'POST', url: '/api/v1/drain', accepts: schema.drain, run: say(drain) },
  { method: 'POST', url: '/api/v1/undrain', accepts: schema.undrain, run: say(undrain) },
  { method: 'POST', url: '/api/v1/pause', accepts: schema.pause, run: say(pauseDeployment) },
  { method: 'POST', url: '/api/v1/abort', accepts: schema.abort, run: say(abortDeployment) },
  { method: 'POST', url: '/api/v1/redeploy', accepts: schema.redeploy, run: say(redeploy) },
  { method: 'POST', url: '/api/v1/force-upgrade', accepts: schema.forceUpgrade, run: say(forceUpgrade) },
  {
    method: 'POST',
    url: '/api/v1/force-upgrade/question',
    accepts: schema.forceUpgrade,
    run: say(wouldForce),
  },
  { method: 'POST', url: '/api/v1/delete-upgrade', accepts: schema.deleteUpgrade, run: say(deleteUpgrade) },
]

/** The reports of ingresses take longer, and are asked for apart. */
async function environments(options: ControlOptions): Promise<readonly Omit<StatusDocument, 'ingress'>[]> {
  const { running, nowMs } = options
  const all = await siteDocuments(options)
  return Promise.all(
    running.map(async controlled => {
      const { world, loop } = controlled
      const certificates = await siteCertificates(world.engines, nowMs())
      const known = await stateOfControlled(controlled)
      const { plan, ofPlans } = known.state ?? {}
      if (plan !== undefined && ofPlans !== undefined) world.memory.shown.note(plan, ofPlans)
      const environment = nameOfControlled(controlled)
      const source: StatusSource = {
        environment,
        journal: world.journal,
        ...known,
        nowMs: nowMs(),
        loop: loop.state(),
        ...knownOfRuns(world),
        theirs: world.memory.whose.theirs(),
        turns: world.memory.fleet.turns.all(),
        configuration: world.config.origin,
      }
      const told = await environmentStatus(source, world.pacing.tell)
      const status = { ...told, sites: sitesOfEnvironment(all, environment) }
      if (certificates.length === 0) return status
      return { ...status, engines: certificates.map(one => engineCertificateDocument(one, nowMs())) }
    }),
  )
}

/** The library for metrics is loaded only once somebody asks for them. */
async function metrics(options: ControlOptions, given: EnvironmentQuery) {
  return (await import('./metrics.ts')).metrics(options, given)
}

function plan({ running }: ControlOptions, { environment }: EnvironmentQuery): object {
  const { loop } = findControlled(running, environment)
  const { last } = loop.state()
  if (last?.plan === undefined) throw new Failure('plan-changed', 'there is no plan yet')
  return planJson(last.plan, last.waiting.length > 0, last.sync)
}

/** Has an answer given by the owner of the socket. */
function say<Given extends { readonly who?: string }>(
  answer: (audience: Audience, speaker: Speaker, given: Given) => Promise<object>,
): (options: ControlOptions, given: Given) => Promise<object> {
  return (options, given) => answer(audienceOf(options), owner(given.who, 'control'), given)
}
