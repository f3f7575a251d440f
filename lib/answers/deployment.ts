import { Failure } from '../errors.ts'
import { isStopped } from '../fleet/strategy/stand.ts'
import type { DeploymentRun, RunFact, RunWord } from '../state/fleet/run.ts'
import { knownName } from '../text/unknown-name.ts'
import { subjectOf } from './names.ts'
import type { DeploymentRequest } from './request.gen.ts'
import { demandRight, type Speaker } from './speaker.ts'
import type { Audience, Subject } from './subject.ts'

/** A deployment that is spoken about, and the newest run of its application. */
export type Deployed = {
  readonly name: string
  readonly application: string
  /** Absent: it brings its versions to all sites at once. */
  readonly run?: DeploymentRun
  readonly facts: readonly RunFact[]
}

/** Returns the deployments of an environment that were carried out at least once. */
export function deploymentsOf(
  { journal }: Pick<Audience, 'journal'>,
  environment: string,
): readonly Deployed[] {
  return [...journal.placements(environment).values()].map(({ deployment: { name, application } }) => {
    const run = journal.run(environment, application)
    const facts = run === undefined ? [] : journal.facts(run.id, 0).map(({ fact }) => fact)
    return { name, application, ...(run === undefined ? {} : { run }), facts }
  })
}

/** Stops a deployment before the next batch: sites that are getting the version go on. */
export function pauseDeployment(
  audience: Audience,
  speaker: Speaker,
  given: DeploymentRequest,
): Promise<Stopped> {
  return stop(audience, speaker, given, 'pause')
}

/** Ends a deployment: sites that have its version keep it, and no other gets it. */
export function abortDeployment(
  audience: Audience,
  speaker: Speaker,
  given: DeploymentRequest,
): Promise<Stopped> {
  return stop(audience, speaker, given, 'abort')
}

/** What was stopped: a deployment, on its way to a version. */
export type Stopped = { readonly deployment: string; readonly version: string }

async function stop(
  audience: Audience,
  speaker: Speaker,
  given: DeploymentRequest,
  word: 'pause' | 'abort',
): Promise<Stopped> {
  demandRight(speaker, word)
  const subject = await subjectOf(audience, given.environment)
  const { journal } = audience
  const stopped = journal.atOnce(() => {
    const { name, run, facts } = deploymentNamed(audience, subject, given.deployment)
    if (run === undefined)
      throw new Failure(
        'deployment-at-once',
        `the deployment ${name} brings a version to all of its sites at once, so nothing of it can be stopped`,
      )
    if (isStopped(facts, word))
      throw new Failure('already-stopped', `the deployment ${name} is stopped already`)
    sayTo(audience, speaker, run, word, given.message)
    record(audience, subject, speaker, word, name, given.message)
    return { deployment: name, version: run.version }
  })
  subject.request()
  return stopped
}

/** What is evaluated anew. */
export type Redeployed = { readonly redeployed: string }

/** Evaluates the sites of a deployment anew, and changes nothing else (A25). */
export async function redeploy(
  audience: Audience,
  speaker: Speaker,
  given: DeploymentRequest,
): Promise<Redeployed> {
  demandRight(speaker, 'redeploy')
  const subject = await subjectOf(audience, given.environment)
  const { journal } = audience
  const redeployed = journal.atOnce(() => {
    const { name } = deploymentNamed(audience, subject, given.deployment)
    journal.evaluateAnew(subject.name(), name)
    record(audience, subject, speaker, 'redeploy', name, given.message)
    return name
  })
  subject.request()
  return { redeployed }
}

/** Says a word to a run. */
export function sayTo(
  { journal, nowMs }: Pick<Audience, 'journal' | 'nowMs'>,
  { who }: Speaker,
  run: DeploymentRun,
  word: RunWord,
  message = '',
): void {
  const said = message === '' ? {} : { message }
  journal.addFact(run.id, { kind: 'word', atMs: nowMs(), word, who, ...said })
}

/** A person may name a deployment by its own name or by its application. Fails with `wrong-usage`. */
function deploymentNamed(audience: Audience, subject: Subject, written: string): Deployed {
  const all = deploymentsOf(audience, subject.name())
  const byApplication = all.find(({ application }) => application === written)
  const names = all.map(({ name }) => name)
  if (byApplication !== undefined && !names.includes(written)) return byApplication
  const name = knownName('deployment', written, names)
  const found = all.find(one => one.name === name)
  if (found === undefined) throw new Failure('internal', `deployment ${name} is known and not there`)
  return found
}

function record(
  { journal, nowMs }: Audience,
  subject: Subject,
  { who, via }: Speaker,
  verb: 'pause' | 'abort' | 'redeploy',
  about: string,
  message = '',
): void {
  const said = message === '' ? {} : { message }
  journal.recordAnswer({ environment: subject.name(), verb, about, who, via, ...said, atMs: nowMs() })
}
