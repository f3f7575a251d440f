import { writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { recordRevert } from '../../../answers/record-revert.ts'
import { owner } from '../../../answers/subject/speaker.ts'
import { Failure, messageOf } from '../../../errors.ts'
import { shortName } from '../../../git/ref.ts'
import type { Writing } from '../../../git/writing.ts'
import type { HeldVersion } from '../../../journal/fleet/held-versions.ts'
import { optional } from '../../../object.ts'
import { writtenName } from '../../../reconcile/repository/identity/identify.ts'
import type { World } from '../../../reconcile/world.ts'
import { commitMessage } from '../../../revert-commit/message.ts'
import { diffOf, patchOf } from '../../../revert-commit/patch.ts'
import { type GoingBack, type Proposal, propose, type RollbackWish } from '../../../revert-commit/propose.ts'
import { shortCommit } from '../../../state/repository/revision.ts'
import { confirm } from '../../ask.ts'
import { createClient } from '../../client/client.ts'
import { currentUser } from '../../client/user.ts'
import { contextOf } from '../../context-of.ts'
import { exitCode } from '../../exit.ts'
import type { CommonFlags, RollbackFlags } from '../../options/flags.ts'
import { oneEnvironment } from '../../options/one-environment.ts'
import { controlSocketOf } from '../../options/state-dir.ts'
import { type Output, sayOrigin } from '../../output/output.ts'
import { openSession, type Session } from '../../session.ts'
import { documentOf, linesOf, type ShownProposal } from '../../text/revert-text.ts'
import { goalOf, nameInJournal } from './revert-goal.ts'
import { refuseNoWay, staysAsItIs } from './way-back.ts'

/** A commit that may be pushed, as it is shown, and what is on record of what it brings back. */
type Offer = Proposal &
  ShownProposal & {
    /** What the environment is called on record. */
    readonly environment: string
    /** At which version the application is held, which the commit does not change. */
    readonly held: HeldVersion | undefined
  }

/** How often a commit is made anew because somebody else pushed meanwhile. */
const mostAttempts = 5

/**
 * Brings back an application, or a whole environment, with a commit that undoes nothing else (A12, E23). Shows the
 * change, asks, and pushes it; a daemon then carries it out like any commit. Returns the exit code.
 */
export async function revert(
  output: Output,
  flags: CommonFlags & RollbackFlags,
  application?: string,
): Promise<number> {
  oneEnvironment(flags)
  await using session = openSession(flags, { connects: false })
  sayOrigin(output, session.config.origin)
  const [world, ...others] = session.worlds
  if (world === undefined || others.length > 0)
    throw new Failure('wrong-usage', 'several environments are configured; name one', {
      hint: 'Name one with --environment.',
    })
  const writing = writingOf(session, flags)
  const wish = wishOf(session, world, flags, application)
  let shown: string | undefined
  for (let attempt = 1; ; attempt += 1) {
    const ground = groundOf(session, writing)
    const { told, proposal } = await propose(ground, wish, session.signal).catch(error => {
      throw withOtherWay(error, application)
    })
    if (proposal === undefined) return sayNothingToDo(output, told, attempt > 1)
    const diff = diffOf(proposal.files)
    const environment = nameInJournal(world, told.environment)
    const staying = staysAsItIs(world.journal, environment, proposal)
    const held = world.journal.heldVersions(environment).find(one => one.application === told.application)
    const offer = { ...proposal, diff, staying, environment, held }
    if (flags.patch !== undefined) return writePatch(output, flags.patch, offer)
    refuseNoWay(world.journal, environment, told, staying)
    if (diff !== shown) {
      if (!output.json) output.text(linesOf(offer))
      const answer = await answerTo(output, flags, session.signal)
      if (answer !== undefined) return sayNotPushed(output, offer, answer)
    }
    shown = diff
    try {
      await writing.push(proposal.branch, proposal.draft, session.signal)
      return await sayPushed(output, world, flags, offer)
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'branch-moved' || attempt === mostAttempts)
        throw error
    }
  }
}

/** Where no commit can be made because the repository cannot be reached, there is a way that needs none (A12). */
function withOtherWay(error: unknown, application: string | undefined): unknown {
  if (!(error instanceof Failure) || application === undefined || !error.code.startsWith('git-')) return error
  const { code, message, hint } = error
  const other = `Without a commit, "tallyman rollback ${application} --now" holds it at a version that is kept.`
  return new Failure(code, message, { hint: `${hint} ${other}`, cause: error })
}

/** Fails with `push-impossible` if nothing can be pushed, or if nobody would use what is. */
function writingOf({ parts: { source }, config }: Session, { patch }: RollbackFlags): Writing {
  const { writing, address } = source
  if (writing === undefined)
    throw new Failure(
      'push-impossible',
      `${address}: these are files and no commits; there is nothing to go back to`,
      {
        hint: 'Have git manage the directory, and set "ref" under "repository" to a branch.',
      },
    )
  if (patch !== undefined || config.repository.verify === undefined) return writing
  throw new Failure(
    'push-impossible',
    `${address}: only signed commits are used ("verify"), and this one would have no signature`,
  )
}

function groundOf({ parts: { source }, config }: Session, writing: Writing) {
  return { writing, snapshot: source.snapshot, context: contextOf(config, source.name) }
}

function wishOf(
  session: Session,
  world: World,
  { to, reason = '' }: RollbackFlags,
  application: string | undefined,
): RollbackWish {
  const who = currentUser()
  const tallyman = { name: 'Tallyman', email: `tallyman@${hostname()}` }
  const { author = { name: who, email: `${who}@${hostname()}` } } = session.config.repository
  return {
    ...optional('environment', writtenName(world)),
    ...optional('application', application),
    goal: keptGoal((place, present) => goalOf(session, world, { to, application, place, present })),
    words: told => ({
      author,
      committer: tallyman,
      message: commitMessage(told, { who, reason }),
      atMs: world.nowMs(),
    }),
  }
}

/** Asks once where to go back to: a commit that is made anew goes where the first one went, whatever is wanted by then. */
function keptGoal(goal: RollbackWish['goal']): RollbackWish['goal'] {
  let kept: ReturnType<RollbackWish['goal']> | undefined
  return (place, present) => {
    kept ??= goal(place, present)
    return kept
  }
}

/** Returns why nothing is to be pushed; undefined if it is. */
async function answerTo(
  output: Output,
  { yes }: RollbackFlags,
  signal: AbortSignal,
): Promise<'unanswered' | 'declined' | undefined> {
  if (yes === true) return undefined
  if (!output.interactive) return 'unanswered'
  return (await confirm(output, 'Push this commit? Only "yes" is accepted:', signal)) ? undefined : 'declined'
}

/** @param isMoved whether somebody else pushed since the change was shown */
function sayNothingToDo(output: Output, told: GoingBack, isMoved: boolean): number {
  const { environment, ...rest } = told
  if (output.json) output.document({ environment: environment.name, ...rest, pushed: false, files: [] })
  else {
    const what = `${rest.application ?? environment.name} is as it was in ${shortCommit(told.to.commit)}`
    output.text([
      isMoved
        ? `Somebody else pushed meanwhile: ${what} by now. Nothing was pushed.`
        : `${what}: there is nothing to do.`,
    ])
  }
  return exitCode.done
}

function sayNotPushed(output: Output, offer: Offer, answer: 'unanswered' | 'declined'): number {
  if (output.json) output.document({ ...documentOf(offer), pushed: false })
  if (answer === 'declined') output.note('Nothing was pushed.')
  else output.note('There is no terminal to ask on. Nothing was pushed; confirm with --yes.')
  return answer === 'declined' ? exitCode.failed : exitCode.confirmationNeeded
}

async function writePatch(output: Output, file: string, offer: Offer): Promise<number> {
  await writeFile(file, patchOf(offer)).catch((cause: unknown) => {
    throw new Failure('wrong-usage', `--patch ${file}: cannot be written: ${messageOf(cause)}`, {
      cause,
    })
  })
  if (output.json) output.document({ ...documentOf(offer), pushed: false, patch: file })
  else
    output.text([
      ...linesOf(offer),
      `Written to ${file}. Nothing was pushed; commit it with: git am --keep-cr ${file}`,
    ])
  return exitCode.done
}

/** The branch has moved, so nothing that goes wrong from here on makes the command a failure. */
async function sayPushed(
  output: Output,
  world: World,
  flags: CommonFlags & Pick<RollbackFlags, 'reason'>,
  offer: Offer,
): Promise<number> {
  const { told, branch, environment, held } = offer
  const { commit } = offer.draft
  const { application, to } = told
  const goal = to.version === undefined ? shortCommit(to.commit) : `version ${to.version}`
  const why = flags.reason ?? ''
  const unwritten = recordRevert(world, owner(currentUser(), 'command'), {
    environment,
    application,
    message: `to ${goal} by commit ${shortCommit(commit)}${why === '' ? '' : `: ${why}`}`,
  })
  if (unwritten !== undefined)
    output.note(`It is pushed, and could not be recorded: ${unwritten.message} (${unwritten.code})`)
  const isHeeded = await tellDaemon(flags, environment)
  const next = isHeeded ? 'The daemon looks at it now.' : 'No daemon was told; the next pass carries it out.'
  if (output.json)
    output.document({
      ...documentOf(offer),
      pushed: true,
      commit,
      ...optional('held', held?.version),
    })
  else
    output.text([
      `Pushed ${shortCommit(commit)} to ${shortName(branch.name)}. ${next}`,
      ...(held === undefined
        ? []
        : [
            `${application} is held at version ${held.version} by ${held.who}, and stays so; to let it follow this commit: tallyman resume ${application}`,
          ]),
    ])
  return exitCode.done
}

/** Whether a daemon looks at it at once. Any other looks by itself. */
function tellDaemon(flags: CommonFlags, environment: string): Promise<boolean> {
  const told = createClient(controlSocketOf(flags)).post('/api/v1/reconcile', { environment })
  return told.then(
    () => true,
    () => false,
  )
}
