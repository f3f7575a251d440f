import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { stringify } from 'yaml'
import { loadConfig } from '../../../lib/config.ts'
import { runDaemon } from '../../../lib/daemon/run.ts'
import { createLog } from '../../../lib/log.ts'
import { runHere } from './run-here.ts'
import { answers, type Ran, type TallymanConfig, type Watched, watched } from './tallyman.ts'

/** A daemon of this process that answers on its control socket. */
export type DaemonHere = Watched & {
  /** What it logged. */
  said(): { readonly stdout: string; readonly stderr: string }
  /** Ends it as SIGTERM does; resolves when it has ended. */
  stop(): Promise<void>
}

/** The command line with a configuration and a state directory of its own. Disposing of it ends its daemons. */
export type TallymanHere = AsyncDisposable & {
  /** Where `tallyman.yaml` is. */
  readonly directory: string
  readonly stateDir: string
  run(...args: readonly string[]): Promise<Ran>
  /** Starts a daemon and waits until it answers. */
  daemon(): Promise<DaemonHere>
}

/**
 * The command line in this process, for tests of what commands say, how they end and what they do. Starting a process
 * takes several times as long as the command. What a process makes of signals, streams and variables is tested with
 * `createTallyman`.
 */
export async function createTallymanHere(
  config: TallymanConfig,
  dockerSocket: string,
): Promise<TallymanHere> {
  const directory = await mkdtemp(join(tmpdir(), 'tallyman-here-'))
  const stateDir = join(directory, 'state')
  const file = join(directory, 'tallyman.yaml')
  const sites = [{ name: 'local', endpoint: `unix://${dockerSocket}` }]
  await writeFile(file, stringify({ stateDir, sites, ...config }))
  const daemons = new Set<DaemonHere>()
  return {
    directory,
    stateDir,
    run: (...args) => runHere(file, args),
    async daemon() {
      const daemon = await startDaemon(file, stateDir)
      daemons.add(daemon)
      return daemon
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...daemons].map(daemon => daemon.stop()))
      await rm(directory, { recursive: true, force: true })
    },
  }
}

async function startDaemon(file: string, stateDir: string): Promise<DaemonHere> {
  const reread = () => loadConfig({ config: file }, {})
  const config = reread()
  let stderr = ''
  const stream = new PassThrough().setEncoding('utf8').on('data', part => {
    stderr += part
  })
  const said = () => ({ stdout: '', stderr })
  const stopping = new AbortController()
  const ended = runDaemon(config, createLog({ ...config.log, stream }), stopping.signal, { reread })
  const daemon = watched({ said }, join(stateDir, 'control.sock'))
  await answers(daemon, { said, ended: ended.then(() => ({ code: 0, ...said() })) })
  return {
    ...daemon,
    said,
    async stop() {
      stopping.abort()
      await ended
    },
  }
}
