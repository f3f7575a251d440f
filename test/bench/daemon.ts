import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { launcher } from '../support/command/tallyman.ts'
import { httpCall } from '../support/network/http-call.ts'
import { waitUntil } from '../support/time/wait-until.ts'

/** A daemon that is measured: it is never asked while it works, its log says when it is done. */
export type MeasuredDaemon = AsyncDisposable & {
  /** Says "look again". */
  reconcile(): Promise<void>
  /** Resolves at the line with which a pass that applied something ends; rejects when it ends otherwise. */
  applied(): Promise<void>
  /** Waits until nothing is under way and nothing is due. */
  quiet(): Promise<void>
  /** One pass: how long from the request to its end, which the daemon itself tells to the millisecond. */
  pass(): Promise<number>
  /** Resident memory in bytes. */
  memory(): Promise<number>
}

/** Starts `tallyman daemon` in a directory with a `tallyman.yaml`; resolves when its first pass has ended. */
export async function startDaemon(directory: string, dockerSocket: string): Promise<MeasuredDaemon> {
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', launcher(), 'daemon'], {
    cwd: directory,
    env: {
      PATH: process.env['PATH'],
      HOME: directory,
      DOCKER_HOST: `unix://${dockerSocket}`,
      TALLYMAN_LOG_FORMAT: 'json',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const socketPath = join(directory, 'state', 'control.sock')
  const said: string[] = []
  let hear = (_message: string) => {}
  createInterface({ input: child.stderr }).on('line', line => {
    said.push(line)
    hear(messageOf(line))
  })
  const call = async (method: string, path: string): Promise<unknown> => {
    const { status, body } = await httpCall({ socketPath, method, path, agent: false })
    if (status !== 200) throw new Error(`${method} ${path}: ${status} ${body.toString()}`)
    return JSON.parse(body.toString())
  }
  const state = async () => stateOf(await call('GET', '/api/v1/environments'))
  const reconcile = async () => {
    await call('POST', '/api/v1/reconcile')
  }

  await waitUntil('the first pass of the daemon', async () => {
    if (child.exitCode !== null) throw new Error(`the daemon ended:\n${said.join('\n')}`)
    return (await state().catch(() => undefined))?.lookedAt !== undefined
  })

  return {
    reconcile,
    applied: () =>
      new Promise((resolve, reject) => {
        hear = message => {
          if (message.startsWith('applied')) resolve()
          else if (!message.startsWith('in-sync')) reject(new Error(said.slice(-5).join('\n')))
        }
      }),
    async quiet() {
      hear = () => {}
      for (let before: string | undefined, calm = 0; calm < 5; ) {
        await pause(100)
        const { busy, lookedAt } = await state()
        calm = !busy && lookedAt === before ? calm + 1 : 0
        before = lookedAt
      }
    },
    async pass() {
      const { lookedAt: before } = await state()
      const startMs = Date.now()
      await reconcile()
      for (;;) {
        // To be asked while it works would keep it from that.
        await pause(100)
        const { busy, lookedAt } = await state()
        if (!busy && lookedAt !== undefined && lookedAt !== before) return Date.parse(lookedAt) - startMs
      }
    },
    async memory() {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8')
      return Number(/^VmRSS:\s*(\d+) kB/m.exec(status)?.[1]) * 1024
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null) return
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
    },
  }
}

function messageOf(line: string): string {
  const { message }: { readonly message?: string } = JSON.parse(line)
  return message ?? ''
}

function stateOf(answer: unknown): { readonly busy: boolean; readonly lookedAt: string | undefined } {
  const [only] = answer as readonly { readonly running?: unknown; readonly lookedAt?: string }[]
  return { busy: Boolean(only?.running), lookedAt: only?.lookedAt }
}
