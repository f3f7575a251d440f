import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { allBatches, type Batch, batchOf, type Part, parts } from './batches.ts'
import { launcherVariable, registryVariable, socketVariable, victimVariable } from './env.ts'
import type { Counts } from './hooks.ts'
import { installPackage } from './installed.ts'
import { isSlow, untilThereIsRoom } from './load.ts'
import { startMachine } from './machine.ts'
import { type MochaOptions, runMocha } from './run-mocha.ts'

/**
 * What `npm test` runs: style and types, then the tests on a machine that is brought up once and given back. With
 * `--part=swarm`, what `npm run test:swarm` runs in place of them. Arguments go to mocha; files among them are run
 * instead of all. The last lines name the tests that failed and count all; a failed check counts as a failed test.
 */
const root = join(import.meta.dirname, '../../..')
const nothing: Counts = { passed: 0, failed: [], skipped: 0 }

const interruption = new AbortController()
// A terminal and npm both deliver one Ctrl-C; mocha would take the second for "at once".
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interruption.abort(signal))
const interrupted = interruption.signal

const counts: Counts[] = []
const { part, args } = asked(process.argv.slice(2))
// Before anything else runs on this machine.
const most = lanes()
// Bringing the machine up is mostly waiting, which the checks fill. The first tests run beside what is left of them.
const checked = part === 'usual' ? Promise.all([check('biome', 'check', '.'), check('tsc')]) : []
await runTests().catch((error: unknown) => {
  counts.push(failure(error instanceof Error ? error.message : String(error)))
})
counts.push(...(await checked))
if (interrupted.aborted) counts.push(failure(`interrupted (${interrupted.reason})`))

const failed = counts.flatMap(one => one.failed)
const sum = (of: 'passed' | 'skipped') => counts.reduce((total, one) => total + one[of], 0)
for (const each of failed) process.stdout.write(`failed: ${each}\n`)
process.stdout.write(`${sum('passed')} passed, ${failed.length} failed, ${sum('skipped')} skipped\n`)
process.exitCode = failed.length > 0 ? 1 : 0

function failure(what: string): Counts {
  return { ...nothing, failed: [what] }
}

async function check(name: string, ...args: readonly string[]): Promise<Counts> {
  const child = spawn(process.execPath, [join(root, 'node_modules/.bin', name), ...args], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const [code] = await once(child, 'exit')
  return code === 0 ? nothing : failure(name)
}

async function runTests(): Promise<void> {
  if (interrupted.aborted) return
  await using installed = await installPackage()
  await using machine = await startMachine()
  process.stdout.write(`${machine.description}\n`)
  const variables = {
    [socketVariable]: machine.dockerSocket,
    [registryVariable]: machine.registry.host,
    [launcherVariable]: installed.launcher,
    [victimVariable]: installed.victim,
  }
  const options = args.filter(arg => !isFile(arg))
  const named = args.filter(isFile)

  let running = 0

  async function take(batches: Iterable<Batch>, output: MochaOptions['output']): Promise<void> {
    for (const { name, files } of batches) {
      // If nothing of ours runs, it would be in vain.
      await untilThereIsRoom(() => running === 0 || interrupted.aborted)
      if (interrupted.aborted) return
      running += 1
      if (output === 'live') process.stdout.write(`\n${name}\n`)
      const beganMs = performance.now()
      const report = await runMocha([...options, ...files], { variables, interrupted, output })
      running -= 1
      const seconds = Math.round((performance.now() - beganMs) / 1000)
      const someRan = report.passed + report.failed.length + report.skipped > 0
      if (someRan && output === 'kept') process.stdout.write(`\n${name} (${seconds} s)\n${report.output}`)
      counts.push(report)
    }
  }

  if (named.length > 0) {
    // What both say would be mixed.
    await checked
    return await take(named.map(batchOf), 'live')
  }
  const left = allBatches(part).values()
  await Promise.all(Array.from({ length: most }, () => take(left, 'kept')))
}

/**
 * How many batches run at a time: more than half of the time of each is waiting, and all of them share one engine. Where
 * a process takes long to start, three keep two processors busy, and more would keep the engine from its work.
 */
function lanes(): number {
  return isSlow() ? 3 : Math.min(5, 3 * availableParallelism())
}

/** The part that the command line names, and what else it says. */
function asked(given: readonly string[]): { readonly part: Part; readonly args: readonly string[] } {
  const option = '--part='
  const isPart = (name: string): name is Part => Object.hasOwn(parts, name)
  const name = given.find(arg => arg.startsWith(option))?.slice(option.length) ?? 'usual'
  if (!isPart(name))
    throw new Error(`${option}${name}: no part; there are ${Object.keys(parts).join(' and ')}`)
  return { part: name, args: given.filter(arg => !arg.startsWith(option)) }
}

function isFile(arg: string): boolean {
  return !arg.startsWith('-') && arg.endsWith('.test.ts')
}
