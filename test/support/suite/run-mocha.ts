import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Counts } from './hooks.ts'

export type MochaOptions = {
  readonly variables: Readonly<Record<string, string>>
  /** Its reason is the signal that mocha gets, which ends the test that runs so that it gives back what it took. */
  readonly interrupted: AbortSignal
  /** `live`: the output is seen as it comes. `kept`: it is returned. */
  readonly output: 'live' | 'kept'
}

/** How a process went; one that broke off counts as a failed test. */
export type Report = Counts & { readonly output: string }

const root = join(import.meta.dirname, '../../..')

/** Runs mocha in a process of its own. */
export async function runMocha(args: readonly string[], options: MochaOptions): Promise<Report> {
  const { variables, interrupted } = options
  const stream = options.output === 'live' ? 'inherit' : 'pipe'
  const child = spawn(process.execPath, [join(root, 'node_modules/.bin/mocha'), '--exit', ...args], {
    cwd: root,
    env: { ...process.env, ...variables },
    stdio: ['ignore', stream, stream, 'ipc'],
    // Out of the terminal's reach: an interruption comes from us, once.
    detached: true,
  })
  const said: Buffer[] = []
  for (const each of [child.stdout, child.stderr]) each?.on('data', part => said.push(part))
  let counts: Counts | undefined
  child.on('message', message => {
    if (isCounts(message)) counts = message
  })
  const interrupt = () => child.kill(interrupted.reason)
  interrupted.addEventListener('abort', interrupt)
  const [code, signal] = await once(child, 'close')
  interrupted.removeEventListener('abort', interrupt)
  const { passed, failed, skipped } = counts ?? { passed: 0, failed: [], skipped: 0 }
  const brokeOff =
    code !== 0 && failed.length === 0 ? [`mocha broke off (${code ?? signal}): ${args.join(' ')}`] : []
  return { passed, failed: [...failed, ...brokeOff], skipped, output: Buffer.concat(said).toString() }
}

function isCounts(message: unknown): message is Counts {
  return typeof message === 'object' && message !== null && 'passed' in message
}
