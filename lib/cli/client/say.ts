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
}

/**
 * Says something to the daemon. If none runs and the journal is here, the same function acts on the journal, and the
 * next pass heeds it. Fails with `daemon-unreachable` if there is neither, and with what the daemon refuses.
 */
export async function say<Given extends About & { readonly who?: string }, Said>(
  output: Output,
  flags: CommonFlags,
  { path, heed }: Saying<Given, Said>,
  given: Given,
): Promise<Said> {
  const socket = controlSocketOf(flags)
  if (flags.server !== undefined || !hasJournal(flags) || !(await isAbsent(socket)))
    return (await createClient(socket).post(path, { ...given })) as Said
  const { withoutDaemon } = await import('./without-daemon.ts')
  const { said, unasked } = await withoutDaemon(flags, await heed(), given)
  const unsure =
    unasked.length === 0
      ? ''
      : ` It is not known whether another tallyman writes on ${firstAndMore(unasked, mostNamed)}, which did not answer; it would not learn of this.`
  output.note(`No daemon runs. This is recorded, and the next pass heeds it.${unsure}`)
  return said
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
