import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import type { DeploymentStatus } from '../../../lib/reconcile/status/deployment/deployment-status.ts'
import { httpCall } from '../network/http-call.ts'
import { launcherVariable } from '../suite/env.ts'
import { namedIfItHangs } from '../time/hangs.ts'
import { waitUntil } from '../time/wait-until.ts'
import { runHere } from './run-here.ts'

/** What stands in `tallyman.yaml`. */
export type TallymanConfig = Readonly<Record<string, unknown>>

/** How a command ended; `code` is null when a signal ended it. */
export type Ran = { readonly code: number | null; readonly stdout: string; readonly stderr: string }

/** A command that runs. What it has said so far can be read at any time. */
export type Running = {
  readonly ended: Promise<Ran>
  said(): { readonly stdout: string; readonly stderr: string }
  /** Sends a signal; SIGINT is what Ctrl-C sends. */
  signal(name: NodeJS.Signals): void
}

/** What a daemon says of itself. */
export type Watched = {
  /** What it last saw of its only environment, as `status --output json` prints it. */
  status(): Promise<StatusDocument>
  /** Waits for a state, and returns it. */
  until(what: string, check: (status: StatusDocument) => boolean): Promise<StatusDocument>
}

/** A daemon that answers on its control socket. */
export type Daemon = Running &
  Watched & {
    /** SIGTERM; resolves when it has ended. */
    stop(): Promise<Ran>
  }

/** One environment of `status --output json`. */
export type StatusDocument = {
  readonly environment: string
  /** Only while a pass runs. */
  readonly running?: {
    readonly since: string
    readonly changes: readonly string[]
    readonly step?: string
    readonly newer?: { readonly reason: string }
  }
  readonly sync: string
  readonly outcome?: string
  readonly revision?: { readonly commit: string }
  readonly passId?: number
  /** When the last pass ended, and when the next one is due; in ISO 8601. */
  readonly lookedAt?: string
  readonly next?: string
  readonly waiting?: { readonly plan: string }
  readonly declined?: { readonly plan: string }
  readonly suspensions: readonly { readonly application?: string; readonly reason: string }[]
  readonly errors: readonly {
    readonly code: string
    readonly message: string
    readonly resource?: string
    readonly hint: string
    readonly retry: string
  }[]
  readonly deployments?: readonly DeploymentStatus[]
  readonly unreachable?: readonly { readonly site: string; readonly since: string; readonly next?: string }[]
  readonly applications: readonly {
    readonly application: string
    readonly sync: string
    readonly health: string
    readonly running: number
    readonly wanted: number
    readonly version: string
    readonly wantedVersion?: string
    readonly restarts?: number
    readonly approval?: { readonly plan: string }
    readonly reason: string
    readonly code?: string
    readonly next?: string
    readonly site?: string
    readonly queue?: readonly { readonly version: string; readonly state: string }[]
    readonly tasks?: readonly { readonly service: string; readonly id: string; readonly running: number }[]
  }[]
}

/** The command line with a configuration and a state directory of its own. Disposing of it ends what it started. */
export type Tallyman = AsyncDisposable & {
  /** Where `tallyman.yaml` is, and where commands are run. */
  readonly directory: string
  readonly stateDir: string
  /** The environment variables commands are run with. */
  readonly variables: Readonly<Record<string, string>>
  run(...args: readonly string[]): Promise<Ran>
  start(...args: readonly string[]): Running
  /** Starts `tallyman daemon` and waits until it answers. */
  daemon(...args: readonly string[]): Promise<Daemon>
}

/** The launcher of this checkout, which runs the sources. */
export const checkoutLauncher: string = join(import.meta.dirname, '../../../bin/tallyman')

/** The launcher, as users call it: of the package that `npm test` installed, else of this checkout. */
export function launcher(): string {
  return process.env[launcherVariable] ?? checkoutLauncher
}

/**
 * Where `run` runs its commands. `here`, in the process of the test, is for tests of what commands do and say, of which a
 * file has many. What `start` and `daemon` start is a process in any case.
 */
export type Commands = 'processes' | 'here'

/** A fresh place to run tallyman from; the only standing variables are those that name the engine and the PATH. */
export async function createTallyman(
  config: TallymanConfig,
  dockerSocket: string,
  commands: Commands = 'processes',
): Promise<Tallyman> {
  const directory = await mkdtemp(join(tmpdir(), 'tallyman-run-'))
  const stateDir = join(directory, 'state')
  const file = join(directory, 'tallyman.yaml')
  // Variables of a process would name it.
  const sites = commands === 'here' ? { sites: [{ name: 'local', endpoint: `unix://${dockerSocket}` }] } : {}
  await writeFile(file, stringify({ stateDir, ...sites, ...config }))
  const children = new Set<ChildProcess>()
  const variables = {
    PATH: process.env['PATH'] ?? '',
    HOME: directory,
    DOCKER_HOST: `unix://${dockerSocket}`,
  }

  function start(...args: readonly string[]): Running {
    // It dies with us, however we die; and only we send it signals, not the terminal.
    const child = spawn('setpriv', ['--pdeathsig', 'KILL', launcher(), ...args], {
      cwd: directory,
      env: variables,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    children.add(child)
    return running(child)
  }

  return {
    directory,
    stateDir,
    variables,
    start,
    run(...args) {
      if (commands === 'here') return runHere(file, args)
      const { ended, said } = start(...args)
      return namedIfItHangs(
        ended,
        async () => `no end of ${args.join(' ')}\n${said().stdout}${said().stderr}`,
      )
    },
    async daemon(...args) {
      const command = start('daemon', ...args)
      const daemon = watched(command, join(stateDir, 'control.sock'))
      await answers(daemon, command)
      return {
        ...command,
        ...daemon,
        stop() {
          command.signal('SIGTERM')
          return command.ended
        },
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...children].map(end))
      await rm(directory, { recursive: true, force: true })
    },
  }
}

function running(child: ChildProcess): Running {
  const text = { stdout: '', stderr: '' }
  child.stdout?.setEncoding('utf8').on('data', part => {
    text.stdout += part
  })
  child.stderr?.setEncoding('utf8').on('data', part => {
    text.stderr += part
  })
  const ended = once(child, 'close').then(([code]): Ran => ({ code, ...text }))
  return {
    ended,
    said: () => ({ ...text }),
    signal: name => {
      child.kill(name)
    },
  }
}

/** What is asked of a daemon on its control socket. Its command is what runs it, in this process or another. */
export function watched(command: Pick<Running, 'said'>, socketPath: string): Watched {
  const status = async (): Promise<StatusDocument> => {
    const answer = await httpCall({ socketPath, path: '/api/v1/environments', agent: false })
    const [only]: readonly StatusDocument[] = JSON.parse(answer.body.toString())
    if (only === undefined) throw new Error('the daemon has no environment')
    return only
  }
  return {
    status,
    async until(what, check) {
      let last: StatusDocument | undefined
      const look = async () => {
        last = await status()
        return check(last) && last
      }
      return waitUntil(what, look).catch((cause: unknown) => {
        const seen = `${JSON.stringify(last, undefined, 2)}\n${command.said().stderr}`
        throw new Error(`${what}: did not come true; the daemon says\n${seen}`, { cause })
      })
    },
  }
}

/** Waits until a daemon that was started answers. Throws if it ends before. */
export async function answers(daemon: Watched, command: Pick<Running, 'ended' | 'said'>): Promise<void> {
  await waitUntil('the daemon answers', async () => {
    if (await hasEnded(command)) throw new Error(`the daemon ended:\n${command.said().stderr}`)
    return daemon.status().catch(() => undefined)
  })
}

async function hasEnded({ ended }: Pick<Running, 'ended'>): Promise<boolean> {
  return Promise.race([ended.then(() => true), Promise.resolve(false)])
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  const killer = setTimeout(() => child.kill('SIGKILL'), 5_000)
  await exited
  clearTimeout(killer)
}
