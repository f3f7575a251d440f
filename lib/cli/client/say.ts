import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { About } from '../../answers/subject/addressed.ts'
import type { Speaker } from '../../answers/subject/speaker.ts'
import type { Audience } from '../../answers/subject/subject.ts'
import { firstAndMore } from '../../text/first-and-more.ts'
import type { CommonFlags } from '../options/flags.ts'
import { controlSocketOf, stateDirOf } from '../options/state-dir.ts'
import type { Output } from '../output/output.ts'
import { createClient } from './client.ts'

/** What is said to an environment: the function that heeds it, wherever that runs, and its place on the socket. */
export type Saying<Given, Said> = {
  readonly path: string
  /** Loaded only if no daemon runs. */
  readonly heed: () => Promise<(audience: Audience, speaker: Speaker, given: Given) => Promise<Said>>
  /** When it has an effect if no daemon runs. Absent: with the next pass. */
  readonly effect?: (said: Said) => Effect
}

/** `none`: nothing that could change anything came of it. `asked`: it was a question, and nobody expects anything. */
export type Effect = 'at once' | 'with the next pass' | 'none' | 'asked'

/**
 * Says something to the daemon. If none runs and the journal is here, the same function acts on the journal, and the
 * next pass heeds it. Fails with `daemon-unreachable` if there is neither, and with what the daemon refuses.
 */
export async function say<Given extends About & { readonly who?: string }, Said>(
  output: Output,
  flags: CommonFlags,
  saying: Saying<Given, Said>,
  given: Given,
): Promise<Said> {
  const { said } = await sayAnywhere(output, flags, saying, given)
  return said
}

/** Does the same, and returns whether a daemon heeds it, which does so at once. */
export async function sayAnywhere<Given extends About & { readonly who?: string }, Said>(
  output: Output,
  flags: CommonFlags,
  { path, heed, effect = () => 'with the next pass' }: Saying<Given, Said>,
  given: Given,
): Promise<{ readonly said: Said; readonly hasDaemon: boolean }> {
  const socket = controlSocketOf(flags)
  if (flags.server !== undefined || !hasJournal(flags) || !(await isAbsent(socket)))
    return { said: (await createClient(socket).post(path, { ...given })) as Said, hasDaemon: true }
  const { withoutDaemon } = await import('./without-daemon.ts')
  const { said, unasked, unwritten } = await withoutDaemon(flags, await heed(), given)
  const unsure =
    unasked.length === 0
      ? ''
      : ` It is not known whether another tallyman writes on ${firstAndMore(unasked, mostNamed)}, which did not answer; it would not learn of this.`
  const what = effect(said)
  if (unwritten !== undefined)
    output.note(
      `No daemon runs. This was done, and could not be recorded: ${unwritten.message} (${unwritten.code})`,
    )
  else if (what !== 'asked') output.note(`No daemon runs. ${effectTexts[what]}${unsure}`)
  return { said, hasDaemon: false }
}

const effectTexts: Readonly<Record<Exclude<Effect, 'asked'>, string>> = {
  'at once': 'This was done at once, and is recorded.',
  'with the next pass': 'This is recorded, and the next pass heeds it.',
  none: 'Nothing was changed.',
}

/** The most sites that one sentence names. */
const mostNamed = 3

function hasJournal(flags: CommonFlags): boolean {
  return existsSync(join(stateDirOf(flags), 'tallyman.sqlite'))
}

/** Whether no process listens there. A socket that may not be opened may have one. */
function isAbsent(socketPath: string): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(socketPath)
    socket.once('connect', () => {
      socket.destroy()
      resolve(false)
    })
    socket.once('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'ENOENT' || error.code === 'ECONNREFUSED'),
    )
  })
}
