import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEngine } from '../support/engine/dockerd.ts'
import { startRegistry } from '../support/images/registry.ts'
import { launcherVariable, registryVariable, socketVariable } from '../support/suite/env.ts'
import type { Counts } from '../support/suite/hooks.ts'
import { runMocha } from '../support/suite/run-mocha.ts'
import { suite } from './suite.ts'

/**
 * Runs the suite on one engine, which is started for it with everything of its own and ends with it. `run.ts` starts
 * this in a network namespace of its own: bridges, addresses, rules and ports of two engines never meet.
 */
type Settings = {
  readonly name: string
  /** For `dockerd`, which is the first one on the PATH. */
  readonly options: readonly string[]
  readonly launcher: string
  /** When no more is begun, in milliseconds since 1970. */
  readonly untilMs: number
  /** In place of the suite. */
  readonly files: readonly string[]
}

const settings: Settings = JSON.parse(process.argv[2] ?? '')
const interruption = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interruption.abort(signal))

const counts: Counts[] = []
await runSuite().catch((error: unknown) => {
  counts.push({ passed: 0, skipped: 0, failed: [error instanceof Error ? error.message : String(error)] })
})
const failed = counts.flatMap(one => one.failed)
const sum = (of: 'passed' | 'skipped') => counts.reduce((total, one) => total + one[of], 0)
for (const each of failed) process.stdout.write(`failed on ${settings.name}: ${each}\n`)
process.stdout.write(
  `${settings.name}: ${sum('passed')} passed, ${failed.length} failed, ${sum('skipped')} skipped\n`,
)
process.exitCode = failed.length > 0 || interruption.signal.aborted ? 1 : 0

async function runSuite(): Promise<void> {
  const { name, options, launcher, files } = settings
  await using stack = new AsyncDisposableStack()
  const directory = await mkdtemp(join(tmpdir(), 'tallyman-engines-'))
  stack.defer(() => rm(directory, { recursive: true, force: true }))
  const engine = stack.use(await startEngine(join(directory, 'docker.sock'), options))
  const registry = stack.use(await startRegistry())
  const variables = {
    [socketVariable]: engine.socket,
    [registryVariable]: registry.host,
    [launcherVariable]: launcher,
  }
  for (const file of files.length > 0 ? files : suite) {
    if (interruption.signal.aborted) return
    if (Date.now() > settings.untilMs) {
      process.stdout.write(`left out: ${file} on ${name}: ten minutes are over\n`)
      continue
    }
    const { output, ...report } = await runMocha([file], {
      variables,
      interrupted: interruption.signal,
      output: 'kept',
    })
    process.stdout.write(`\n${name}: ${file}\n${output}`)
    counts.push(report)
  }
}
