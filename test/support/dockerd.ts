import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { engineAnswers } from './engine-call.ts'
import { waitUntil } from './wait-until.ts'

/** A Docker Engine that was started here. */
export type OwnEngine = AsyncDisposable & { readonly socket: string }

/**
 * Starts a Docker Engine on this socket, with data of its own, and waits until it answers.
 * Needs root. Disposing of it stops it and removes its data, all containers with it.
 * More arguments go to dockerd: a second engine on one machine needs a bridge of its own.
 */
export async function startEngine(socket: string, more: readonly string[] = []): Promise<OwnEngine> {
  const directory = await mkdtemp(join(tmpdir(), 'tallyman-engine-'))
  const logPath = join(directory, 'log')
  const log = await open(logPath, 'w')
  const at = (name: string) => join(directory, name)
  const child = spawn(
    'dockerd',
    [
      ...['--host', `unix://${socket}`, '--data-root', at('data')],
      ...['--exec-root', at('exec'), '--pidfile', at('pid'), ...more],
    ],
    {
      stdio: ['ignore', log.fd, log.fd],
      env: { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin` },
      detached: true,
    },
  )
  const exited = once(child, 'exit').catch((error: unknown) => error)
  await log.close()

  async function stop(): Promise<void> {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM')
      const killer = setTimeout(() => child.kill('SIGKILL'), 30_000)
      await exited
      clearTimeout(killer)
    }
    await rm(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }

  const outcome = await Promise.race([
    exited.then(() => 'exited' as const),
    waitUntil('dockerd answers', () => engineAnswers(socket), 60_000).catch(() => 'silent' as const),
  ])
  if (outcome !== true) {
    const lines = (await readFile(logPath, 'utf8')).trimEnd().split('\n')
    await stop()
    throw new Error(`dockerd did not come up (${outcome}):\n${lines.slice(-15).join('\n')}`)
  }
  return { socket, [Symbol.asyncDispose]: stop }
}
