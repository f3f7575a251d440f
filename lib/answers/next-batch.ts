import { Failure } from '../errors.ts'
import { batchesIn, pauseIn } from '../fleet/spread/facts/run-facts.ts'
import { isNextBatch, nextBatchIds } from '../fleet/spread/next-batch-id.ts'
import { runFacts } from '../journal/fleet/runs.ts'
import { runNow } from '../reconcile/status/deployment/run-now.ts'
import type { DeploymentRun, RunFact, WordGiven } from '../state/fleet/run.ts'
import { timeText } from '../text/time.ts'
import { aboutRun, sayTo } from './deployment.ts'
import { recordSaid } from './record-said.ts'
import type { AnswerRequest } from './request.gen.ts'
import { askedIn } from './subject/asked.ts'
import { deploymentsOf } from './subject/deployments.ts'
import type { Speaker } from './subject/speaker.ts'
import type { Audience, Heeding, Subject } from './subject/subject.ts'

/** The sites of a deployment that follow its canaries, or a batch that does not answer. */
export type NextBatch = { readonly deployment: string; readonly version: string }

/** What is said about such sites: they may follow, or never get the version. */
export type NextBatchAnswer = Partial<Heeding> & {
  readonly environment: string
  readonly nextBatch: NextBatch
}

/**
 * Answers for the sites that follow the canaries, or a batch that nobody proves, if that is what an id means; undefined
 * if it means something else. It is the same word and the same record as for a plan (X20). Fails with `plan-answered`
 * if nobody is asked any more, and with `plan-changed` if the deployment brings something else by now.
 */
export function answerNextBatch(
  audience: Audience,
  speaker: Speaker,
  { id, environment, message = '' }: AnswerRequest & { readonly id: string },
  verb: 'approve' | 'discard',
): NextBatchAnswer | undefined {
  const { journal } = audience
  const found = stageOf(audience, id, environment)
  if (found === undefined) return undefined
  const { subject, name, run, earlier } = found
  if (earlier !== undefined) throw overtaken(id, name, run, earlier)
  journal.atOnce(() => {
    const asked = askedNow(audience, subject, name)
    if (asked !== id) throw notAsked(id, { name, run, facts: runFacts(journal, run), asked })
    sayTo(audience, speaker, run, verb === 'approve' ? 'continue' : 'abort', message)
    recordSaid(audience, subject, speaker, { verb, about: id, message, ...aboutRun(name, run) })
  })
  return {
    environment: subject.name(),
    nextBatch: { deployment: name, version: run.version },
    ...subject.requestOfDeployment(),
  }
}

/** Returns the id under which a person is asked now, by where the deployment is shown to stand; undefined: nobody is. */
function askedNow({ journal, nowMs }: Audience, subject: Subject, name: string): string | undefined {
  const environment = subject.name()
  const placed = journal.placements(environment).get(name)
  if (placed === undefined) return undefined
  return runNow({ environment, journal, nowMs: nowMs(), ...subject.ofRuns() }, placed)?.asked
}

/** Says under which id somebody is asked now, or else what was said last, when and by whom, as for a plan (G13). */
function notAsked(
  id: string,
  {
    name,
    run,
    facts,
    asked,
  }: Pick<Found, 'name' | 'run'> & { readonly facts: readonly RunFact[]; readonly asked: string | undefined },
): Failure {
  if (asked !== undefined)
    return new Failure(
      'plan-answered',
      `nobody is asked under ${id} any more: ${name} waits for ${asked}`,
      lookAgain(name),
    )
  const pause = pauseIn(facts)
  if (pause !== undefined)
    return new Failure(
      'plan-answered',
      `nobody is asked under ${id} while ${name} is paused, as ${pause.who} said at ${timeText(pause.atMs)}`,
      askAgain(name),
    )
  const batches = batchesIn(facts)
  const said = saidSince(batches[nextBatchIds(run, batches).findIndex(isNextBatch(id))], facts)
  const none = `${name} waits for no word`
  if (said === undefined)
    return new Failure('plan-answered', `nobody is asked under ${id} now: ${none}`, {
      hint: `To see what it waits for, run "tallyman deployment ${name}".`,
    })
  const what = said.word === 'abort' ? `${name} was ended` : `the others were let follow`
  return new Failure(
    'plan-answered',
    `${id} was answered: ${what} by ${said.who} at ${timeText(said.atMs)}, and ${none}`,
    said.word === 'abort' ? askAgain(name) : {},
  )
}

/** Returns what a person said last of the sites that follow a batch. */
function saidSince(batch: RunFact | undefined, facts: readonly RunFact[]): WordGiven | undefined {
  const said = facts
    .slice(batch === undefined ? 0 : facts.indexOf(batch))
    .filter(fact => fact.kind === 'word')
    .filter(({ word }) => word === 'continue' || word === 'abort')
  return said.at(-1)
}

function askAgain(name: string): { readonly hint: string } {
  return { hint: `To be asked again, run "tallyman resume ${name}".` }
}

/** Says what a deployment brings now in place of what somebody was asked about. */
function overtaken(id: string, name: string, now: DeploymentRun, earlier: DeploymentRun): Failure {
  const why =
    now.version === earlier.version
      ? `what ${name} brings as ${now.version} has changed since`
      : `${name} brings ${now.version} now, and no longer ${earlier.version}`
  return new Failure('plan-changed', `nobody is asked under ${id} any more: ${why}`, lookAgain(name))
}

function lookAgain(name: string): { readonly hint: string } {
  return { hint: `Look at "tallyman deployment ${name}" again, and use the id that it shows.` }
}

/** A deployment and its newest run. `earlier`: the one before that in which somebody was asked under an id. */
type Found = {
  readonly subject: Subject
  readonly name: string
  readonly run: DeploymentRun
  readonly earlier?: DeploymentRun
}

function stageOf(audience: Audience, id: string, environment: string | undefined): Found | undefined {
  const all = audience.subjects
    .filter(subject => environment === undefined || subject.isWrittenAs(environment))
    .flatMap(subject => deploymentsOf(audience, subject.name()).map(one => ({ subject, ...one })))
  for (const { subject, name, run } of all)
    if (run !== undefined && isAsked(audience, run, id)) return { subject, name, run }
  // What happened in earlier runs of a large fleet takes long to read, and is not needed for a plan.
  if (askedIn(audience.subjects, id) !== undefined) return undefined
  for (const { subject, name, application, run } of all) {
    const earlier = audience.journal
      .lastRuns(subject.name(), application)
      .slice(1)
      .find(one => isAsked(audience, one, id))
    if (run !== undefined && earlier !== undefined) return { subject, name, run, earlier }
  }
  return undefined
}

/** Whether a person is asked under this id about a run, or was before other sites were drawn. */
function isAsked({ journal }: Audience, run: DeploymentRun, id: string): boolean {
  return nextBatchIds(run, batchesIn(runFacts(journal, run))).some(isNextBatch(id))
}
