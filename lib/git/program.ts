import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { Failure } from '../errors.ts'
import { secondsText } from '../text/time.ts'
import { linkedAbort } from '../wait/linked-abort.ts'
import { timeout } from '../wait/timer.ts'

/** All programs of the system that Tallyman starts, with the Debian package of each. */
const packages = {
  ssh: 'openssh-client',
  'ssh-keyscan': 'openssh-client',
  'ssh-keygen': 'openssh-client',
  gpg: 'gpg',
} as const

export type ProgramName = keyof typeof packages

export type Program = AsyncDisposable & {
  readonly input: Writable
  readonly output: Readable
  /**
   * How the program ended, once it has. Fails with `program-missing` if it is not installed, and with `program-failed`
   * if it runs for no such user.
   */
  readonly ended: Promise<Ending>
  /** Kills it at once. */
  kill(): void
}

export type Ending = {
  /** Undefined if a signal ended it. */
  readonly code: number | undefined
  /** The beginning of its output on stderr. */
  readonly said: string
}

/**
 * Starts a program of the system: without a shell, outside of every repository, and with nothing of our environment but
 * PATH, so that neither `GIT_*` nor an agent reaches it. Disposing of it kills it.
 */
export function startProgram(
  name: ProgramName,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Program {
  const child: ChildProcessByStdio<Writable, Readable, Readable> = spawn(name, args, {
    cwd: '/',
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    shell: false,
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(0, mostSaid)
  })
  // If the program reads no more, its exit code says why.
  child.stdin.on('error', () => undefined)
  const ended = once(child, 'close').then(
    ([code]: unknown[]): Ending => {
      if (code === refuses && namesNoUser.test(said)) throw notRunFor(name, said)
      return { code: typeof code === 'number' ? code : undefined, said }
    },
    (error: unknown) => {
      throw notStarted(name, error)
    },
  )
  ended.catch(() => undefined)
  const kill = () => {
    child.kill('SIGKILL')
  }
  return {
    input: child.stdin,
    output: child.stdout,
    ended,
    kill,
    async [Symbol.asyncDispose]() {
      kill()
      // What nobody reads would keep it from being over.
      child.stdout.destroy()
      await ended.catch(() => undefined)
    },
  }
}

const mostSaid = 16_384

/** What OpenSSH does for a user that has no name, whatever it is asked. */
const refuses = 255
const namesNoUser = /^No user exists for uid \d+\s*$/

function notRunFor(name: ProgramName, said: string): Failure {
  return new Failure('program-failed', `${name}: ${said.trim()}`, {
    hint: 'Give the user that tallyman runs as a line in /etc/passwd, in a container that of its image: OpenSSH runs for no other.',
  })
}

export type Run = {
  readonly args: readonly string[]
  readonly input?: Uint8Array
  readonly env?: Readonly<Record<string, string>>
}

/**
 * Runs a program to its end and returns its output. Fails with `program-failed` if it takes more than half a minute, or
 * if a signal ends it, and as `startProgram` does.
 */
export async function runProgram(
  name: ProgramName,
  { args, input, env }: Run,
  signal: AbortSignal,
): Promise<Ending & { readonly output: string }> {
  signal.throwIfAborted()
  await using program = startProgram(name, args, env)
  const deadline = timeout(patienceMs)
  using either = linkedAbort(signal, deadline)
  either.signal.addEventListener('abort', program.kill, { once: true })
  program.input.end(input)
  let output = ''
  program.output.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(0, mostSaid)
  })
  const ending = await program.ended
  either.signal.removeEventListener('abort', program.kill)
  signal.throwIfAborted()
  if (deadline.aborted)
    throw new Failure('program-failed', `${name}: did not finish within ${secondsText(patienceMs)}`)
  if (ending.code === undefined) throw new Failure('program-failed', `${name}: a signal ended it`)
  return { ...ending, output }
}

const patienceMs = 30_000

function notStarted(name: ProgramName, cause: unknown): Failure {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause)
  const hint = `Install OpenSSH's client or GnuPG for the user that runs tallyman; on Debian: apt-get install ${packages[name]}`
  return code === 'ENOENT'
    ? new Failure('program-missing', `${name}: there is no such program on PATH`, { cause, hint })
    : new Failure('program-failed', `${name}: cannot be started (${code})`, { cause })
}
