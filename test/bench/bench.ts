import { cpus, loadavg } from 'node:os'
import { launcherVariable } from '../support/suite/env.ts'
import { installPackage } from '../support/suite/installed.ts'
import { measureMetadata } from './measure-metadata.ts'
import { type Measurements, measurementsOnMachine } from './report/on-machine.ts'
import { isOnMachine, type LoneSection, type MachineSection, optionsOf } from './report/options.ts'
import { type Row, reasons, table } from './report/table.ts'
import { measureDeployments } from './sites/measure-deployments.ts'
import { measureOutages } from './sites/measure-outages.ts'
import { measureSites } from './sites/measure-sites.ts'

/**
 * `npm run bench`: measures on a real engine, with a real registry and a real git server, or over many simulated
 * engines, and prints a table. The exit code is 1 when a goal was missed. docs/performance.md says what is compared with
 * what.
 */
const options = optionsOf(process.argv.slice(2))
const say = (line: string) => process.stderr.write(`${line}\n`)

await using installed = await installPackage()
process.env[launcherVariable] = installed.launcher
await using stack = new AsyncDisposableStack()
say(`${cpus().length} processors, load ${loadavg()[0]?.toFixed(1)}`)

let machine: Promise<Measurements<MachineSection>> | undefined
const onMachine = () => (machine ??= measurementsOnMachine(stack, options, say))
const alone: Measurements<LoneSection> = {
  sites: () => measureSites({ ...options, say }),
  deployments: () => measureDeployments({ ...options, say }),
  outages: () => measureOutages(options),
  metadata: measureMetadata,
}
const rows: Row[] = []
try {
  for (const section of options.sections)
    rows.push(...(await (isOnMachine(section) ? (await onMachine())[section] : alone[section])()))
} finally {
  // Also what was measured before a section broke off: each takes minutes.
  process.stdout.write(`${table(rows)}\n\n${reasons(rows)}\n`)
}
process.exitCode = rows.some(({ reached }) => reached === false) ? 1 : 0
