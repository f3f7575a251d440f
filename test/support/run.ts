import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { allBatches, type Batch, batchOf } from './batches.ts'
import { registryVariable, socketVariable } from './env.ts'
import type { Counts } from './hooks.ts'
import { startMachine } from './machine.ts'
import { type MochaOptions, runMocha } from './run-mocha.ts'

/**
 * `npm test`: style and types, then every test on a machine that is brought up once and given back.
 * Arguments go to mocha; files among them are run instead of all. The last line counts the tests;
 * a failed check counts as a failed test.
 */
const root = join(import.meta.dirname, '../..')
const [nothing, oneFailed] = [
  { passed: 0, failed: 0, skipped: 0 },
  { passed: 0, failed: 1, skipped: 0 },
] as const

const interruption = new AbortController()
// A terminal and npm both deliver one Ctrl-C; mocha would take the second for "at once".
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interruption.abort(signal))
const interrupted = interruption.signal

const counts: Counts[] = [await check('biome', 'check', '.'), await check('tsc')]
await runTests(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  counts.push(oneFailed)
})
if (interrupted.aborted) counts.push(oneFailed)

const sum = (of: keyof Counts) => counts.reduce((total, one) => total + one[of], 0)
process.stdout.write(`${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped\n`)
process.exitCode = sum('failed') > 0 ? 1 : 0

async function check(name: string, ...args: readonly string[]): Promise<Counts> {
  const child = spawn(process.execPath, [join(root, 'node_modules/.bin', name), ...args], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const [code] = await once(child, 'exit')
  return code === 0 ? nothing : oneFailed
}

async function runTests(args: readonly string[]): Promise<void> {
  if (interrupted.aborted) return
  await using machine = await startMachine()
  process.stdout.write(`${machine.description}\n`)
  const variables = { [socketVariable]: machine.dockerSocket, [registryVariable]: machine.registry.host }
  const options = args.filter(arg => !isFile(arg))

  async function take(batches: Iterable<Batch>, output: MochaOptions['output']): Promise<void> {
    for (const { name, files } of batches) {
      if (interrupted.aborted) return
      if (output === 'live') process.stdout.write(`\n${name}\n`)
      const report = await runMocha([...options, ...files], { variables, interrupted, output })
      const someRan = report.passed + report.failed + report.skipped > 0
      if (someRan && output === 'kept') process.stdout.write(`\n${name}\n${report.output}`)
      counts.push(report)
    }
  }

  const named = args.filter(isFile)
  if (named.length > 0) return await take(named.map(batchOf), 'live')
  // Two at a time: while one waits, the other works.
  const { busy, rest } = allBatches()
  const left = rest.values()
  await Promise.all([take(busy, 'kept').then(() => take(left, 'kept')), take(left, 'kept')])
}

function isFile(arg: string): boolean {
  return !arg.startsWith('-') && arg.endsWith('.test.ts')
}
