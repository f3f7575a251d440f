import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { needPrograms } from '../suite/programs.ts'
import { waitUntil } from '../time/wait-until.ts'
import { freePort } from './free-port.ts'

export type SshServer = AsyncDisposable & {
  /** Whom the key lets in. */
  readonly user: string
  readonly port: number
  /** A private key that is let in. */
  readonly keyFile: string
  /** Holds the line that this host began with. */
  readonly knownHostsFile: string
  /** What it began with: `[127.0.0.1]:2222 ssh-ed25519 AAAA…` */
  readonly hostLine: string
  /** For files of the test. */
  readonly directory: string
  /** The address of a repository on this machine, through another port if one is given. */
  urlOf(path: string, port?: number): string
  /** Has the key run this command from now on, whatever is asked for; without one, what is asked for. */
  force(command?: string): Promise<void>
  /** Ends or stops every connection that has logged in, and whatever runs on it. */
  signal(name: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): Promise<number>
  /** How many connections it has, and how many programs run on them. */
  connections(): Promise<number>
  /** Shows another key as the host's from now on; returns its line. */
  replaceHostKey(): Promise<string>
}

/**
 * Starts Debian's sshd on a free loopback port, for the user that runs the tests and one key. With protocol 0 it does
 * as it comes, and keeps from git that another one is asked for. `settings` are lines of sshd_config.
 */
export async function startSshServer({
  protocol = 2,
  settings = [],
}: {
  protocol?: 0 | 2
  settings?: readonly string[]
} = {}): Promise<SshServer> {
  await needPrograms(['sshd', 'sshKeygen', 'git'])
  const directory = await mkdtemp(join(tmpdir(), 'tallyman-ssh-'))
  const port = await freePort()
  const { username: user } = userInfo()
  const [hostKey, keyFile] = [join(directory, 'host_key'), join(directory, 'key')]
  const [authorized, knownHostsFile] = [join(directory, 'authorized_keys'), join(directory, 'known_hosts')]
  await Promise.all([makeKey(hostKey), makeKey(keyFile)])
  const publicKey = (await readFile(`${keyFile}.pub`, 'utf8')).trim()
  const lineOfHost = async () => {
    const [kind, blob] = (await readFile(`${hostKey}.pub`, 'utf8')).split(' ')
    return `[127.0.0.1]:${port} ${kind} ${blob}`
  }
  const hostLine = await lineOfHost()
  await writeFile(knownHostsFile, `${hostLine}\n`)
  const force = async (command?: string) => {
    const options = command === undefined ? '' : `command="${command}" `
    await writeFile(authorized, `${options}${publicKey}\n`)
  }
  await force()
  const configuration = [
    `ListenAddress 127.0.0.1:${port}`,
    `HostKey ${hostKey}`,
    `AuthorizedKeysFile ${authorized}`,
    'PidFile none',
    'StrictModes no',
    'UsePAM no',
    'PermitRootLogin yes',
    'PasswordAuthentication no',
    'LogLevel QUIET',
    // What clients prefer costs twice the time of a processor.
    'KexAlgorithms curve25519-sha256',
    // A bash that sshd starts reads what its user set up for terminals, unless another shell started it.
    'SetEnv SHLVL=1',
    ...(protocol === 2 ? ['AcceptEnv GIT_PROTOCOL'] : []),
    ...settings,
  ]
  await writeFile(join(directory, 'sshd_config'), `${configuration.join('\n')}\n`)
  // Where sshd is run by root it wants this directory, which its service would make.
  if (process.getuid?.() === 0) await mkdir('/run/sshd', { recursive: true, mode: 0o755 })
  let child = await runSshd(join(directory, 'sshd_config'), port)
  const stop = async () => {
    const ended = once(child, 'exit')
    if (child.exitCode === null && child.kill()) await ended
  }

  return {
    user,
    port,
    keyFile,
    knownHostsFile,
    hostLine,
    directory,
    urlOf: (path, through = port) => `ssh://${user}@127.0.0.1:${through}${path}`,
    force,
    connections: async () => (await childrenOf(child.pid ?? 0)).length,
    async signal(name) {
      const below = async (pid: number): Promise<readonly number[]> => {
        const children = await childrenOf(pid)
        return [...children, ...(await Promise.all(children.map(below))).flat()]
      }
      const all = await below(child.pid ?? 0)
      for (const pid of all) process.kill(pid, name)
      return all.length
    },
    async replaceHostKey() {
      await stop()
      await Promise.all([rm(hostKey), rm(`${hostKey}.pub`)])
      await makeKey(hostKey)
      child = await runSshd(join(directory, 'sshd_config'), port)
      return lineOfHost()
    },
    async [Symbol.asyncDispose]() {
      await stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Makes an Ed25519 key pair: `path` and `path.pub`. */
export async function makeKey(path: string, passphrase = ''): Promise<void> {
  const args = ['-q', '-t', 'ed25519', '-N', passphrase, '-C', 'ada@example.com', '-f', path]
  await promisify(execFile)('ssh-keygen', args)
}

/** A key pair to sign with: the path of the private key, and the public line, whose comment names `NAME@example.com`. */
export async function makeSigner(
  directory: string,
  name: string,
): Promise<{ readonly path: string; readonly line: string }> {
  const path = join(directory, name)
  await makeKey(path)
  return { path, line: (await readFile(`${path}.pub`, 'utf8')).replace('ada', name) }
}

/** Hands on to a port of this machine, and cuts each connection after so many bytes of the answer. */
export async function startCuttingProxy(
  port: number,
  bytes: number,
): Promise<AsyncDisposable & { readonly port: number }> {
  const sockets = new Set<Socket>()
  const proxy: Server = createServer(client => {
    const server = connect(port, '127.0.0.1')
    let left = bytes
    for (const socket of [client, server]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        client.destroy()
        server.destroy()
      })
    }
    client.pipe(server)
    server.on('data', chunk => {
      left -= chunk.byteLength
      if (left > 0) client.write(chunk)
      else client.destroy()
    })
  })
  const own = await freePort()
  proxy.listen(own, '127.0.0.1')
  await once(proxy, 'listening')
  return {
    port: own,
    async [Symbol.asyncDispose]() {
      const closed = once(proxy, 'close')
      proxy.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

async function runSshd(config: string, port: number): Promise<ChildProcess> {
  // It has to be called by its whole path.
  const child = spawn('/usr/sbin/sshd', ['-D', '-e', '-f', config], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', chunk => {
    said += String(chunk)
  })
  await waitUntil('sshd', async () => {
    if (child.exitCode !== null) throw new Error(`sshd ended: ${said}`)
    return answers(port)
  })
  return child
}

/** The processes that a process started and that still run. */
export async function childrenOf(pid: number): Promise<readonly number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  return text.split(' ').filter(Boolean).map(Number)
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'data')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
