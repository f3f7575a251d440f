import type { Approved } from '../../answers/approve.ts'
import type { SuspensionRequest } from '../../answers/request.gen.ts'
import type { LeftOut } from '../../answers/subject/asked.ts'
import { timeOfDayMs } from '../../clock.ts'
import { Failure } from '../../errors.ts'
import { sitesInWords } from '../../plan/text/by-site.ts'
import { createClient } from '../client/client.ts'
import { followApproved } from '../client/follow.ts'
import { type Effect, say, sayAnywhere } from '../client/say.ts'
import { exitCode, gravestCode } from '../exit.ts'
import { exitCodeOfApply } from '../exit-of-apply.ts'
import type { CommonFlags } from '../options/flags.ts'
import { oneEnvironment } from '../options/one-environment.ts'
import { controlSocketOf } from '../options/state-dir.ts'
import { outputAbout } from '../output/in-environment.ts'
import { type Output, reportErrors, reportUnreachable } from '../output/output.ts'
import { leftOutText } from '../text/left-out.ts'
import { redeployedText } from '../text/redeployed-text.ts'
import { windowLines } from '../text/report.ts'
import { resumedText } from '../text/resumed-text.ts'
import { parseTime } from '../text/time.ts'

type Message = { readonly message?: string }
/** What was said in reply. */
type Answer = object & { readonly left?: readonly LeftOut[] }
type OnApplication = { readonly application?: string }

/** Approves a waiting plan. With `--wait` follows it to its end, and exits as `apply` does. */
export async function approve(
  output: Output,
  flags: CommonFlags & Message & { readonly wait?: boolean },
  id = '',
): Promise<number> {
  const path = `/api/v1/plans/${encodeURIComponent(id)}/approve`
  const given = { id, ...onEnvironment(flags), ...messageOf(flags) }
  const client = createClient(controlSocketOf(flags))
  const heed = async () => (await import('../../answers/approve.ts')).approve
  // Nobody carries a plan out while no daemon runs, so there is nothing to follow.
  const approved =
    flags.wait === true
      ? ((await client.post(path, given)) as Approved)
      : await say(output, flags, { path, heed }, given)
  const { removalsLeft = 0, left } = approved
  const removals = `${removalsLeft === 1 ? 'One removal waits' : `${removalsLeft} removals wait`} for a confirmation of its own.`
  const { nextBatch } = approved
  if (nextBatch !== undefined) {
    tell(
      output,
      approved,
      `Approved: ${nextBatch.deployment} brings ${nextBatch.version} to its other sites now.`,
    )
    if (flags.wait === true)
      output.note(
        `They are not waited for: "tallyman deployment ${nextBatch.deployment}" shows how far they are.`,
      )
    return exitCode.done
  }
  const text = `Approved plan ${id}.${removalsLeft > 0 ? ` ${removals}` : ''}`
  if (flags.wait !== true) {
    tell(output, approved, text)
    return exitCode.done
  }
  // Who approves an id need not say of which environment it is.
  const own = outputAbout(approved.environment, output)
  own.note(`${text}${leftOutText(left)}`)
  const ended = await followApproved(client, own, approved)
  const { outcome, passId, errors, unreachable, waiting, closed = [] } = ended
  if (own.json) own.document({ ...approved, ...ended })
  else {
    // Nothing was left to do, but it is not as it should be, either.
    const isHeld = closed.length > 0 || (outcome === 'in-sync' && ended.sync !== 'Synced')
    const state = isHeld ? `${outcome}, ${ended.sync}` : outcome
    own.text([`${state}${passId === undefined ? '' : ` (pass ${passId})`}`, ...windowLines(closed)])
  }
  reportUnreachable(own, unreachable)
  reportErrors(own, errors)
  return gravestCode([exitCodeOfApply(ended), waiting > 0 ? exitCode.confirmationNeeded : exitCode.done])
}

/** Discards a waiting plan. */
export async function discard(output: Output, flags: CommonFlags & Message, id = ''): Promise<number> {
  const path = `/api/v1/plans/${encodeURIComponent(id)}/discard`
  const heed = async () => (await import('../../answers/discard.ts')).discard
  const given = { id, ...onEnvironment(flags), ...messageOf(flags) }
  const answer = await say(output, flags, { path, heed }, given)
  const { begun } = answer
  const { nextBatch } = answer
  if (nextBatch !== undefined) {
    tell(output, answer, `Aborted ${nextBatch.deployment}: no further site gets ${nextBatch.version}.`)
    return exitCode.done
  }
  const rest = begun === undefined ? '' : ` It has begun on ${begun.join(', ')}, and goes on there.`
  tell(output, answer, `Discarded plan ${id}.${rest}`)
  return exitCode.done
}

/** Asks the daemon for a pass now. */
export async function reconcile(output: Output, flags: CommonFlags): Promise<number> {
  const client = createClient(controlSocketOf(flags))
  const answer = (await client.post('/api/v1/reconcile', onEnvironment(flags))) as Answer
  tell(output, answer, 'A new pass starts now.')
  return exitCode.done
}

/** Says whether the daemon answers, of whose work it asks nothing. Fails as the client does if it does not. */
export async function ping(output: Output, flags: CommonFlags): Promise<number> {
  const answer = (await createClient(controlSocketOf(flags)).get('/healthz')) as Answer
  tell(output, answer, 'The daemon answers.')
  return exitCode.done
}

/** Suspends an environment, or one application of it. */
export async function suspend(
  output: Output,
  flags: CommonFlags &
    OnApplication & { readonly reason: string; readonly until?: string; readonly replace?: boolean },
): Promise<number> {
  const { application, reason, until, replace } = flags
  const given: SuspensionRequest = {
    ...onApplication(flags, application),
    reason,
    ...(until === undefined ? {} : { untilMs: parseTime(until, timeOfDayMs(), 'ahead') }),
    ...(replace === undefined ? {} : { replace }),
  }
  const heed = async () => (await import('../../answers/suspend.ts')).suspend
  const answer = await say(output, flags, { path: '/api/v1/suspend', heed }, given)
  const { replaced } = answer
  const instead =
    replaced === undefined ? '' : ` (it replaces the suspension by ${replaced.who}: ${replaced.reason})`
  tell(output, answer, `Suspended ${application ?? 'the environment'}: ${reason}${instead}`)
  return exitCode.done
}

/** Ends a suspension, the pause or the end of a deployment, or lets a held application follow the commits again. */
export async function resume(
  output: Output,
  flags: CommonFlags & OnApplication & Message,
  name?: string,
): Promise<number> {
  if (name !== undefined && flags.application !== undefined && name !== flags.application)
    throw new Failure(
      'wrong-usage',
      `"${name}" and --application ${flags.application} are two names of one thing: give one`,
    )
  const heed = async () => (await import('../../answers/resume.ts')).resume
  const given = { ...onApplication(flags, name ?? flags.application), ...messageOf(flags) }
  const answer = await say(
    output,
    flags,
    { path: '/api/v1/resume', heed, effect: said => (said.resumed ? 'with the next pass' : 'none') },
    given,
  )
  tell(output, answer, resumedText(answer, given.application))
  return exitCode.done
}

/** Stops a deployment before its next batch. */
export async function pauseDeployment(
  output: Output,
  flags: CommonFlags & Message,
  deployment = '',
): Promise<number> {
  const heed = async () => (await import('../../answers/deployment.ts')).pauseDeployment
  const given = { ...onEnvironment(flags), ...messageOf(flags), deployment }
  const answer = await say(output, flags, { path: '/api/v1/pause', heed }, given)
  const { deployment: name, version, isDone, isEnded } = answer
  const text =
    isDone === true
      ? `Paused ${name}: all of its sites have ${version}, and the next version waits for "tallyman resume ${name}".`
      : isEnded === true
        ? `Paused ${name}: ${version} has ended, and the next version waits for "tallyman resume ${name}".`
        : `Paused ${name}: sites that are getting ${version} go on, and no other begins.`
  tell(output, answer, text)
  return exitCode.done
}

/** Ends a deployment where it is. */
export async function abortDeployment(
  output: Output,
  flags: CommonFlags & Message,
  deployment = '',
): Promise<number> {
  const heed = async () => (await import('../../answers/deployment.ts')).abortDeployment
  const given = { ...onEnvironment(flags), ...messageOf(flags), deployment }
  const answer = await say(output, flags, { path: '/api/v1/abort', heed }, given)
  const text = `Aborted ${answer.deployment}: sites that have ${answer.version} keep it, what is under way there runs to its end, and no other gets it.`
  tell(output, answer, text)
  return exitCode.done
}

/** Has the sites of a deployment evaluated anew. */
export async function redeploy(
  output: Output,
  flags: CommonFlags & Message,
  deployment = '',
): Promise<number> {
  const heed = async () => (await import('../../answers/deployment.ts')).redeploy
  const given = { ...onEnvironment(flags), ...messageOf(flags), deployment }
  const answer = await say(output, flags, { path: '/api/v1/redeploy', heed }, given)
  tell(output, answer, redeployedText(answer))
  return exitCode.done
}

/** Ends quarantines, so that the releases are tried again. */
export async function retry(
  output: Output,
  flags: CommonFlags & Message,
  application?: string,
): Promise<number> {
  const heed = async () => (await import('../../answers/retry.ts')).retry
  const given = { ...onApplication(flags, application), ...messageOf(flags) }
  const { said: answer, hasDaemon } = await sayAnywhere(output, flags, { path: '/api/v1/retry', heed }, given)
  const { released, toldNoMore = 0, stopped = [], askedAgain = [] } = answer
  const soon = hasDaemon ? 'now' : 'with the next pass'
  const what = `Released ${released === 1 ? '1 release' : `${released} releases`} from quarantine`
  const which = stopped.length === 0 ? '' : ' what no deployment holds back'
  const text =
    released === 0
      ? `Nothing is quarantined. What tallyman tries again by itself is tried ${soon}.`
      : `${what}; tallyman tries again ${soon}${which}.`
  const after =
    toldNoMore === 0 ? '' : ' What failed once its version served is told no more; it is not done again.'
  const still = stopped.map(name => ` The deployment ${name} has stopped; to go on: tallyman resume ${name}`)
  const asked =
    askedAgain.length === 0
      ? ''
      : ` What was discarded on ${sitesInWords(askedAgain)} is asked about again ${soon}.`
  tell(output, answer, `${text}${after}${asked}${still.join('.')}`)
  return exitCode.done
}

/** Makes a site report to load balancers that it is drained, so that they send it no requests. */
export async function drain(output: Output, flags: CommonFlags, site = ''): Promise<number> {
  const heed = async () => (await import('../../answers/drain.ts')).drain
  const saying = { path: '/api/v1/drain', heed, effect: atOnce }
  const answer = await say(output, flags, saying, { ...onEnvironment(flags), site })
  tell(output, answer, `Drained ${site}: load balancers in front are told to send it no more requests.`)
  return exitCode.done
}

/** Ends the draining of a site. */
export async function undrain(output: Output, flags: CommonFlags, site = ''): Promise<number> {
  const heed = async () => (await import('../../answers/drain.ts')).undrain
  const saying = { path: '/api/v1/undrain', heed, effect: atOnce }
  const answer = await say(output, flags, saying, { ...onEnvironment(flags), site })
  tell(output, answer, `${site} takes requests again.`)
  return exitCode.done
}

/** The ingress is told by the command itself where no daemon runs. */
const atOnce = (): Effect => 'at once'

/** Prints what the ingresses counted, in Prometheus' text format. */
export async function metrics(output: Output, flags: CommonFlags): Promise<number> {
  const environment = oneEnvironment(flags)
  const query = environment === undefined ? '' : `?environment=${encodeURIComponent(environment)}`
  const text = await createClient(controlSocketOf(flags)).text(`/metrics${query}`)
  if (output.json) output.document({ metrics: text })
  else output.text(text.trimEnd().split('\n'))
  return exitCode.done
}

function onEnvironment(flags: CommonFlags): { readonly environment?: string } {
  const environment = oneEnvironment(flags)
  return environment === undefined ? {} : { environment }
}

function onApplication(flags: CommonFlags, application: string | undefined) {
  return { ...onEnvironment(flags), ...(application === undefined ? {} : { application }) }
}

function messageOf({ message }: Message): Message {
  return message === undefined ? {} : { message }
}

/** Says with every answer on which sites it does not count. */
function tell(output: Output, answer: Answer, text: string): void {
  if (output.json) output.document(answer)
  else output.text([`${text}${leftOutText(answer.left)}`])
}
