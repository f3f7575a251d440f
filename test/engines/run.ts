import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import pLimit from 'p-limit'
import { newest as fetchNewestCaddy } from '../support/images/caddy.ts'
import { installPackage } from '../support/suite/installed.ts'
import { spawnInOwnNetwork } from '../support/suite/own-network.ts'
import { needPrograms } from '../support/suite/programs.ts'
import { type Engine, knownEngines } from './engines.ts'

/**
 * `npm run test:engines`: the engine's edge and the main cases on the newest Docker Engine that can be had, with either
 * image store. Names of engines among the arguments are run instead, test files instead of the suite. What was left out
 * is said, and why; that alone is no failure.
 */
const names = ['own', 'overlay2', 'containerd'] as const
const args = process.argv.slice(2)
const files = args.filter(arg => arg.endsWith('.test.ts'))
const wrong = args.filter(arg => !files.includes(arg) && !names.some(name => name === arg))
if (wrong.length > 0) {
  process.stderr.write(`${wrong.join(', ')}: neither a test file nor one of ${names.join(', ')}\n`)
  process.exit(64)
}
const chosen = names.filter(name => args.includes(name))
const usual = ['overlay2', 'containerd'] as const

const interruption = new AbortController()
// A terminal and npm both deliver one Ctrl-C; an engine would take the second for "at once".
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interruption.abort(signal))

await needPrograms(['dockerd', 'iptables', 'ip', 'registry', 'git', 'busybox', 'caddy'])
// What has to be fetched is fetched here: the engines run without a network.
await fetchNewestCaddy()
const engines = await knownEngines(chosen.length > 0 ? chosen : usual)
await using installed = await installPackage()
const { launcher } = installed
const untilMs = Date.now() + 10 * 60_000

for (const { name, missing } of engines.missing) leftOut(name, `it cannot be had: ${missing}`)
if (!chosen.includes('own')) leftOut("this machine's own engine", '"npm test" runs them on it')
const limit = pLimit(Math.min(2, availableParallelism()))
const codes = await Promise.all(engines.there.map(engine => limit(() => runOn(engine))))
process.exitCode = interruption.signal.aborted || codes.some(code => code !== 0) ? 1 : 0

function leftOut(what: string, why: string): void {
  process.stdout.write(`left out: ${what}: ${why}\n`)
}

/** Runs the suite in a network namespace of its own. */
async function runOn({ name, path, options }: Engine): Promise<number | null> {
  if (interruption.signal.aborted) return 1
  const settings = JSON.stringify({ name, options, launcher, untilMs, files })
  const child = spawnInOwnNetwork([join(import.meta.dirname, 'inside.ts'), settings], {
    env: { ...process.env, PATH: [...path, process.env['PATH'] ?? ''].join(':') },
    stdio: ['ignore', 'inherit', 'inherit'],
    // Out of the terminal's reach: an interruption comes from us, once.
    detached: true,
  })
  const interrupt = () => child.kill(interruption.signal.reason)
  interruption.signal.addEventListener('abort', interrupt)
  const [code] = await once(child, 'close')
  interruption.signal.removeEventListener('abort', interrupt)
  return code
}
