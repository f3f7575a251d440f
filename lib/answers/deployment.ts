import { type ErrorCode, hintNaming } from '../errors/catalogue.ts'
import { Failure } from '../errors.ts'
import { isEnded, isEverywhere, isSaid } from '../fleet/spread/facts/run-facts.ts'
import type { Answer } from '../journal/decisions/answers.ts'
import { runFacts } from '../journal/fleet/runs.ts'
import type { MeantOtherwise } from '../reconcile/status/deployment/meant-otherwise.ts'
import type { DeploymentRun, RunFact, RunWord } from '../state/fleet/run.ts'
import { knownName } from '../text/suggestion/unknown-name.ts'
import { recordSaid } from './record-said.ts'
import type { DeploymentRequest } from './request.gen.ts'
import { sitesAnew } from './sites-anew.ts'
import { addressed } from './subject/addressed.ts'
import { type LeftOut, withLeft } from './subject/asked.ts'
import { type Deployed, deploymentMeant, deploymentsOf } from './subject/deployments.ts'
import type { Speaker } from './subject/speaker.ts'
import type { Audience, Subject } from './subject/subject.ts'
import { waysBack } from './version/way-back.ts'

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
export type Stopped = {
  readonly deployment: string
  readonly version: string
  /** All of its sites have that version, so that the next one is held back. */
  readonly isDone?: true
  /** It was paused after it had ended, so that the next version is held back. */
  readonly isEnded?: true
  /** The sites on which it has no effect; absent: there are none. */
  readonly left?: readonly LeftOut[]
}

async function stop(
  audience: Audience,
  speaker: Speaker,
  given: DeploymentRequest,
  word: 'pause' | 'abort',
): Promise<Stopped> {
  const { subject, left } = await addressed(audience, speaker, word, given)
  const { journal } = audience
  const stopped = journal.atOnce(() => {
    const { name, application, run } = deploymentNamed(audience, subject, given.deployment, word)
    const held = journal.heldVersions(subject.name()).find(one => one.application === application)
    if (held !== undefined)
      throw new Failure(
        'version-held',
        `${application} is held at ${held.version} by ${held.who}, so the deployment ${name} brings nothing to its sites, and there is nothing to ${word}`,
      )
    if (run === undefined)
      throw new Failure(
        'deployment-not-begun',
        `the deployment ${name} has brought no version to its sites yet, so there is nothing to ${word}`,
      )
    const { version } = run
    const facts = runFacts(journal, run)
    const isDone = isDoneAt(audience, subject, name, facts)
    if (isDone && word === 'abort')
      throw failureOn(
        name,
        'deployment-done',
        `the deployment ${name} is done: all of its sites have ${version}`,
      )
    if (isSaid(facts, word))
      throw failureOn(name, 'already-stopped', `the deployment ${name} is stopped already`)
    const hasEnded = word === 'pause' && !isDone && isEnded(facts)
    sayTo(audience, speaker, run, word, given.message)
    recordSaid(audience, subject, speaker, {
      ...{ verb: word, about: name, message: given.message },
      ...aboutRun(name, run),
    })
    return {
      deployment: name,
      version,
      ...(isDone ? { isDone } : {}),
      ...(hasEnded ? { isEnded: true as const } : {}),
    }
  })
  subject.requestOfDeployment()
  return { ...stopped, ...withLeft(left) }
}

/** Returns whether all sites of a deployment have reached the version of its run. `facts`: what happened in that. */
export function isDoneAt(
  { journal }: Pick<Audience, 'journal'>,
  subject: Pick<Subject, 'name' | 'sites'>,
  deployment: string,
  facts: readonly RunFact[],
): boolean {
  const placed = journal.placements(subject.name()).get(deployment)?.sites ?? []
  return isEverywhere(facts, sitesLeft(placed, new Set(subject.sites())))
}

/**
 * Returns those of the sites of a deployment that are there; all of them if none is. A site that is not there keeps its
 * place on record, because it may come back.
 */
function sitesLeft(placed: readonly string[], here: ReadonlySet<string>): readonly string[] {
  const left = placed.filter(site => here.has(site))
  return left.length === 0 ? placed : left
}

/** What is evaluated anew, and what that changes; without `joins` and `leaves`, that cannot be told yet. */
export type Redeployed = Partial<MeantOtherwise> & {
  readonly redeployed: string
  /** The sites on which it has no effect; absent: there are none. */
  readonly left?: readonly LeftOut[]
}

/** Evaluates the sites of a deployment anew, and changes nothing else (A25). */
export async function redeploy(
  audience: Audience,
  speaker: Speaker,
  given: DeploymentRequest,
): Promise<Redeployed> {
  const { subject, left } = await addressed(audience, speaker, 'redeploy', given)
  const { journal } = audience
  const redeployed = journal.atOnce(() => {
    const { name, application, run } = deploymentNamed(audience, subject, given.deployment, 'redeploy')
    const changes = sitesAnew(audience, subject, name)
    journal.evaluateAnew(subject.name(), name)
    recordSaid(audience, subject, speaker, {
      ...{ verb: 'redeploy', about: name, message: given.message },
      ...(run === undefined ? { deployment: name, application } : aboutRun(name, run)),
    })
    return { redeployed: name, ...changes }
  })
  subject.requestOfDeployment()
  return { ...redeployed, ...withLeft(left) }
}

/** Says a word to a run. What is aborted is not forced any more (A66). */
export function sayTo(
  { journal, nowMs }: Pick<Audience, 'journal' | 'nowMs'>,
  { who }: Speaker,
  run: DeploymentRun,
  word: RunWord,
  message = '',
): void {
  const said = message === '' ? {} : { message }
  journal.addFact(run.id, { kind: 'word', atMs: nowMs(), word, who, ...said })
  if (word === 'abort') journal.endForced(run)
}

/** Fails with `wrong-usage` if there is no deployment of that name or application. */
function deploymentNamed(
  audience: Audience,
  subject: Subject,
  written: string,
  verb: RunWord | 'redeploy',
): Deployed {
  const all = deploymentsOf(audience, subject.name())
  if (deploymentMeant(all, written) === undefined && subject.applications().includes(written)) {
    const back = waysBack(audience.journal, subject.name(), written)
    throw new Failure('wrong-usage', `${written} has no deployment, so there is none to ${verb}`, {
      hint: `To give up a rollout of it that is under way, ${back}; to hold back the next change, run "tallyman suspend --reason TEXT --application ${written}".`,
    })
  }
  const names = all.flatMap(({ name, application }) => [name, application])
  const found = deploymentMeant(all, knownName('deployment', written, names))
  if (found === undefined) throw new Failure('internal', `deployment ${written} is known and not there`)
  return found
}

/**
 * Returns what the record of an answer says of the deployment that it is about: the name that it has now, which may be
 * another one than when its run began.
 */
export function aboutRun(
  deployment: string,
  { application, version }: Pick<DeploymentRun, 'application' | 'version'>,
): Pick<Answer, 'deployment' | 'application' | 'version'> {
  return { deployment, application, version }
}

/** Returns a failure whose hint names the deployment that it is about. */
export function failureOn(deployment: string, code: ErrorCode, message: string): Failure {
  return new Failure(code, message, { hint: hintNaming(code, deployment) })
}
