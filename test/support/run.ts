import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { registryVariable, socketVariable } from './env.ts'
import type { Counts } from './hooks.ts'
import { startMachine } from './machine.ts'

/**
 * `npm test`: style and types, then every test on a machine that is brought up once and given back.
 * Arguments go to mocha; files among them are run instead of all. The last line counts the tests;
 * a failed check counts as a failed test.
 */
const root = join(import.meta.dirname, '../..')
const suites = ['unit', 'integration', 'e2e', 'faults']

const interrupted = new AbortController()
let stopChild: ((signal: NodeJS.Signals) => void) | undefined
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // A terminal and npm both deliver one Ctrl-C; mocha would take the second for "at once".
    if (!interrupted.signal.aborted) stopChild?.(signal)
    interrupted.abort()
  })
}

const checks = [await passes('biome', ['check', '.']), await passes('tsc', [])]
const counts = interrupted.signal.aborted ? undefined : await runTests(process.argv.slice(2))
const failedChecks = checks.filter(passed => !passed).length

const { passed, failed, skipped } = counts ?? { passed: 0, failed: 1, skipped: 0 }
process.stdout.write(`${passed} passed, ${failed + failedChecks} failed, ${skipped} skipped\n`)
process.exitCode = failed + failedChecks > 0 ? 1 : 0

async function passes(name: string, args: readonly string[]): Promise<boolean> {
  const child = spawn(process.execPath, [program(name), ...args], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  return (await ended(child)) === 0
}

/** Undefined: the tests did not run to their end. */
async function runTests(args: readonly string[]): Promise<Counts | undefined> {
  try {
    await using machine = await startMachine()
    if (interrupted.signal.aborted) return undefined
    process.stdout.write(`${machine.description}\n`)
    return await runMocha(['--exit', ...args, ...chosenFiles(args)], {
      [socketVariable]: machine.dockerSocket,
      [registryVariable]: machine.registry.host,
    })
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    return undefined
  }
}

/** All tests, unless the arguments name files themselves. */
function chosenFiles(args: readonly string[]): readonly string[] {
  if (args.some(one => !one.startsWith('-') && one.endsWith('.test.ts'))) return []
  return suites.flatMap(suite => globSync(`test/${suite}/**/*.test.ts`, { cwd: root }).toSorted())
}

async function runMocha(
  args: readonly string[],
  variables: Record<string, string>,
): Promise<Counts | undefined> {
  const child = spawn(process.execPath, [program('mocha'), ...args], {
    cwd: root,
    env: { ...process.env, ...variables },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    // Out of the terminal's reach: an interruption comes from us, once.
    detached: true,
  })
  let counts: Counts | undefined
  child.on('message', message => {
    if (isCounts(message)) counts = message
  })
  const code = await ended(child)
  if (counts === undefined) return undefined
  const whole = code === 0 && !interrupted.signal.aborted
  return whole || counts.failed > 0 ? counts : { ...counts, failed: 1 }
}

function isCounts(message: unknown): message is Counts {
  return typeof message === 'object' && message !== null && 'passed' in message
}

async function ended(child: ChildProcess): Promise<number> {
  stopChild = signal => child.kill(signal)
  const [code] = await once(child, 'exit')
  stopChild = undefined
  return typeof code === 'number' ? code : 1
}

function program(name: string): string {
  return join(root, 'node_modules/.bin', name)
}
