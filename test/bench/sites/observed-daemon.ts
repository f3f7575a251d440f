import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { paceFor } from '../../../lib/writer/engine-claims.ts'
import { launcher } from '../../support/command/tallyman.ts'
import { httpCall } from '../../support/network/http-call.ts'
import { waitUntil } from '../../support/time/wait-until.ts'
import type { Usage } from './report-usage.ts'

/** A running `tallyman daemon` that reports what it uses. Disposing of it ends it. */
export type ObservedDaemon = AsyncDisposable & {
  /** Asks as a command does: `POST /api/v1/reconcile`. Returns the JSON of the answer. */
  ask(request: string, given?: object): Promise<ReturnType<typeof JSON.parse>>
  /**
   * What it uses for this: until the check says so, and then until its processor time stands still. The check is made in
   * this process, and asks nothing of the daemon.
   */
  during(work: () => Promise<unknown>, isDone: () => boolean | Promise<boolean>): Promise<Usage>
  /** What it uses while nobody asks anything of it. The processor time is that of one second of so many. */
  atRest(seconds: number): Promise<Usage>
}

const calmMs = 1_000
/**
 * Processor time of a daemon that only waits stays below this in `calmMs`, and that of one that works does not: it looks
 * after its claim on each site, and a look takes up to 2 ms where other work keeps the processors busy.
 */
const idleMs = (sites: number) => 30 + (2 * sites * calmMs) / paceFor(sites).lookMs
const limitMs = 60 * 60_000

/** Starts a daemon in a directory with a `tallyman.yaml`, and waits until it answers. */
export async function observedDaemon(directory: string, sites: number): Promise<ObservedDaemon> {
  const report = join(import.meta.dirname, 'report-usage.ts')
  const locksBefore = await locksThere()
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', launcher(), 'daemon'], {
    cwd: directory,
    env: {
      PATH: process.env['PATH'],
      HOME: directory,
      TALLYMAN_LOG_FORMAT: 'json',
      NODE_OPTIONS: `--import=${report} ${process.env['BENCH_NODE_OPTIONS'] ?? ''}`,
    },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  const said: string[] = []
  if (child.stderr === null) throw new Error('the daemon has no output')
  createInterface({ input: child.stderr }).on('line', line => {
    said.push(line)
    if (said.length > 20) said.shift()
  })
  const isSo = (what: string, check: () => unknown) =>
    waitUntil(
      what,
      async () => {
        if (child.exitCode !== null) throw new Error(`the daemon ended:\n${said.join('\n')}`)
        return (await check()) !== false
      },
      limitMs,
    )
  const socketPath = join(directory, 'state', 'control.sock')
  const usage = async (): Promise<Usage> => {
    const answered = once(child, 'message')
    child.send('usage')
    const [told] = await answered
    return told
  }
  const ask: ObservedDaemon['ask'] = async (request, given) => {
    const [method = '', path = ''] = request.split(' ')
    const headers = { 'content-type': 'application/json' }
    const text = given === undefined ? undefined : JSON.stringify(given)
    const { status, body } = await httpCall({ socketPath, method, path, headers }, text)
    if (status >= 300) throw new Error(`${request}: ${status} ${body.toString()}`)
    return JSON.parse(body.toString())
  }
  await isSo('the daemon answers', () => ask('POST /api/v1/reconcile').catch(() => false))
  return {
    ask,
    async during(work, isDone) {
      await writeFile(`/proc/${child.pid}/clear_refs`, '5')
      const before = await usage()
      await work()
      await isSo('the work of the daemon', isDone)
      let [last, turnMs] = [await usage(), 0]
      for (;;) {
        await pause(calmMs)
        const now = await usage()
        // The end of a turn is noticed in the next one, which may be after the last report.
        turnMs = Math.max(turnMs, last.turnMs, now.turnMs)
        if (now.processorMs - last.processorMs < idleMs(sites))
          return { ...now, processorMs: last.processorMs - before.processorMs, turnMs }
        last = now
      }
    },
    async atRest(seconds) {
      const before = await usage()
      await pause(seconds * 1_000)
      const now = await usage()
      return { ...now, processorMs: (now.processorMs - before.processorMs) / seconds }
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null) return
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
      // They are those of simulated engines, which nobody else has, and no engine has twice.
      for (const file of await locksThere())
        if (!locksBefore.has(file)) await rm(join(locks, file), { force: true })
    },
  }
}

/** Where a daemon leaves empty files behind. */
const locks = '/run/tallyman'

async function locksThere(): Promise<ReadonlySet<string>> {
  return new Set(await readdir(locks).catch(() => []))
}
