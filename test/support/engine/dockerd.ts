import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { directoryOnDisk } from '../suite/env.ts'
import { needPrograms } from '../suite/programs.ts'
import { hangsAfterMs } from '../time/hangs.ts'
import { waitUntil } from '../time/wait-until.ts'
import { engineAnswers } from './engine-call.ts'

/** Where Debian keeps dockerd and ip, which a user's PATH may leave out. */
const env = { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin` }

/**
 * The engine starts its own program, of 75 MB, several times for every container. It collects garbage less often, which
 * saves a twelfth of the processor time of an engine, and takes 75 MB more.
 */
const engineEnv = { ...env, GOGC: '800' }

const run = (program: string, args: readonly string[]) => promisify(execFile)(program, args, { env })

/** A Docker Engine that was started here. */
export type OwnEngine = AsyncDisposable & {
  readonly socket: string
  /** Ends it as a service manager does, all containers with it, and starts it again; resolves once it answers. Two calls at a time are one. */
  restart(): Promise<void>
  /** Ends it as a service manager does, all containers with it, until it is started again. */
  stop(): Promise<void>
  /** Starts what was stopped; resolves once it answers. */
  start(): Promise<void>
}

/**
 * Starts the only Docker Engine of this machine on this socket, with data of its own, and waits until it answers.
 * Needs root. It takes over docker0 and the DOCKER chains of iptables, so no other may run: for a second one
 * there is `startSecondEngine`. Disposing of it stops it and removes its data, all containers with it.
 * @param options more of `dockerd`
 */
export function startEngine(socket: string, options: readonly string[] = []): Promise<OwnEngine> {
  // Every test has networks of its own: the usual addresses are enough for about thirty.
  const more = ['--default-address-pool', 'base=10.224.0.0/12,size=24', ...options]
  return start(async () => ({ socket, more }))
}

/**
 * Starts an engine beside the one that runs, as a site of its own: with its own bridge, and without iptables, so
 * that its containers reach each other and this machine, and publish ports through its proxy, but nothing beyond.
 * @param options more of `dockerd`
 */
export async function startSecondEngine(options: readonly string[] = []): Promise<OwnEngine> {
  await needPrograms(['dockerd', 'ip', 'iptables'])
  const bridge = `tally${randomBytes(4).toString('hex')}`
  const subnet = `10.213.${randomInt(1, 255)}`
  await using stack = new AsyncDisposableStack()
  await run('ip', ['link', 'add', bridge, 'type', 'bridge'])
  stack.defer(async () => {
    await run('ip', ['link', 'delete', bridge])
  })
  await run('ip', ['address', 'add', `${subnet}.1/24`, 'dev', bridge])
  await run('ip', ['link', 'set', bridge, 'up'])
  // The first engine lets nobody else pass a bridge, where the kernel has its rules hold within one, too.
  const withinOne = ['FORWARD', '-m', 'physdev', '--physdev-is-bridged', '-j', 'ACCEPT']
  await run('iptables', ['-w', '-I', ...withinOne])
  stack.defer(async () => {
    await run('iptables', ['-w', '-D', ...withinOne])
  })
  // With address pools of its own it would remove docker0, which is the first one's, when it is started again.
  const network = ['--bridge', bridge, '--iptables=false', '--ip6tables=false']
  const { stdout: version } = await run('dockerd', ['--version'])
  // Old engines take their identity from a key in /etc, which would be the first engine's too.
  const isOld = / version (1\d|20)\./.test(version)
  const engine = stack.use(
    await start(async directory => {
      const file = join(directory, 'daemon.json')
      const identity = isOld ? { 'deprecated-key-path': join(directory, 'key.json') } : {}
      await writeFile(file, JSON.stringify(identity))
      return { socket: join(directory, 'docker.sock'), more: [...network, '--config-file', file, ...options] }
    }),
  )
  const parts = stack.move()
  return { ...engine, [Symbol.asyncDispose]: () => parts.disposeAsync() }
}

/**
 * Starts an engine in a network namespace, by its name: a machine of its own, as far as the network goes. Not by
 * `ip netns exec`, which hides the control groups.
 */
export function startEngineIn(namespace: string, options: readonly string[] = []): Promise<OwnEngine> {
  return start(async directory => {
    const file = join(directory, 'daemon.json')
    await writeFile(file, JSON.stringify({ 'deprecated-key-path': join(directory, 'key.json') }))
    const { stdout: version } = await run('dockerd', ['--version'])
    const own = / version (1\d|20)\./.test(version) ? ['--config-file', file] : []
    return { socket: join(directory, 'docker.sock'), more: [...own, ...options], namespace }
  })
}

type Settings = {
  readonly socket: string
  readonly more: readonly string[]
  /** The network namespace that it runs in; absent: that of this process. */
  readonly namespace?: string
}

async function start(choose: (directory: string) => Promise<Settings>): Promise<OwnEngine> {
  const directory = await mkdtemp(join(directoryOnDisk(), 'tallyman-engine-'))
  const { socket, more, namespace } = await choose(directory)
  const logPath = join(directory, 'log')
  const at = (name: string) => join(directory, name)
  const args = [
    ...['--host', `unix://${socket}`, '--data-root', at('data')],
    ...['--exec-root', at('exec'), '--pidfile', at('pid'), ...more],
  ]
  const engine = { process: await launch(args, logPath, namespace) }

  async function stop(): Promise<void> {
    await end(engine.process)
    await killShimsBelow(directory)
    await unmountBelow(directory)
    await rm(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }).catch(
      (error: unknown) => process.stderr.write(`${directory} stays: ${String(error)}\n`),
    )
  }

  async function answers(): Promise<void> {
    const outcome = await Promise.race([
      engine.process.exited.then(() => 'exited' as const),
      waitUntil('dockerd answers', () => engineAnswers(socket)).catch(() => 'silent' as const),
    ])
    if (outcome === true) return
    const lines = (await readFile(logPath, 'utf8')).trimEnd().split('\n')
    throw new Error(`dockerd did not come up (${outcome}):\n${lines.slice(-15).join('\n')}`)
  }

  await answers().catch(async error => {
    await stop()
    throw error
  })
  let restarting: Promise<void> | undefined
  async function up(): Promise<void> {
    engine.process = await launch(args, logPath, namespace)
    await answers()
  }
  return {
    socket,
    restart() {
      // Of two at a time, one process would be lost.
      restarting ??= end(engine.process)
        .then(up)
        .finally(() => {
          restarting = undefined
        })
      return restarting
    },
    stop: () => end(engine.process),
    start: up,
    [Symbol.asyncDispose]: stop,
  }
}

type Process = { readonly child: ChildProcess; readonly exited: Promise<unknown> }

async function launch(args: readonly string[], logPath: string, namespace?: string): Promise<Process> {
  const log = await open(logPath, 'a')
  const inside = namespace === undefined ? [] : ['nsenter', `--net=/var/run/netns/${namespace}`]
  const [program = 'dockerd', ...rest] = [...inside, 'dockerd', ...args]
  const child = spawn(program, rest, { stdio: ['ignore', log.fd, log.fd], env: engineEnv, detached: true })
  const exited = once(child, 'exit').catch((error: unknown) => error)
  await log.close()
  return { child, exited }
}

async function end({ child, exited }: Process): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  const killer = setTimeout(() => child.kill('SIGKILL'), hangsAfterMs)
  await exited
  clearTimeout(killer)
}

/** An engine that could not end a container leaves the process that watches over it. */
async function killShimsBelow(directory: string): Promise<void> {
  const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name))
  for (const pid of pids) {
    const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0')
    const isOurs = words.some(word => word.startsWith(`${directory}/exec/`))
    if (isOurs && words[0]?.includes('containerd-shim') === true) killQuietly(Number(pid))
  }
}

/** It may have ended by itself meanwhile. */
function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** An engine that had to be killed leaves the file systems of its containers mounted. */
async function unmountBelow(directory: string): Promise<void> {
  const mounts = (await readFile('/proc/self/mounts', 'utf8'))
    .split('\n')
    .map(line => line.split(' ')[1] ?? '')
  const below = mounts.filter(point => point.startsWith(`${directory}/`))
  if (below.length === 0) return
  await run('umount', ['--lazy', ...below.toReversed()]).catch((error: unknown) =>
    process.stderr.write(`${String(error)}\n`),
  )
}
