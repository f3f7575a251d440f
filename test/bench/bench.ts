import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { engineCall } from '../support/engine-call.ts'
import { launcherVariable } from '../support/env.ts'
import { startGitServer } from '../support/git-server.ts'
import { pushImage } from '../support/images.ts'
import { installPackage } from '../support/installed.ts'
import { startMachine } from '../support/machine.ts'
import { findCompose } from './compose.ts'
import { measureEngine } from './measure-engine.ts'
import { measureIngress } from './measure-ingress.ts'
import { measureInstances } from './measure-instances.ts'
import { measureLargest } from './measure-largest.ts'
import { measureMemory } from './measure-memory.ts'
import { measureResolve } from './measure-resolve.ts'
import { measureStart } from './measure-start.ts'
import { optionsOf, type Section } from './options.ts'
import { type Row, reasons, table } from './table.ts'

/**
 * `npm run bench`: measures on a real engine, with a real registry and a real git server, and prints a table. The exit
 * code is 1 when a goal was missed. docs/performance.md says what is compared with what.
 */
const options = optionsOf(process.argv.slice(2))
const say = (line: string) => process.stderr.write(`${line}\n`)

await using installed = await installPackage()
process.env[launcherVariable] = installed.launcher
await using machine = await startMachine()
await using gitServer = await startGitServer()
await using stack = new AsyncDisposableStack()
say(machine.description)
say(`${cpus().length} processors, load ${loadavg()[0]?.toFixed(1)}`)

const { dockerSocket, registry } = machine
const images = [
  await pushImage(registry, 'bench', '1', { env: { RELEASE: '1' } }),
  await pushImage(registry, 'bench', '2', { env: { RELEASE: '2' } }),
] as const
for (const tag of ['1', '2'])
  await engineCall(dockerSocket, 'POST', `/images/create?fromImage=${registry.host}/bench&tag=${tag}`)

const around = { dockerSocket, gitServer }
const measurements: Readonly<Record<Section, () => Promise<readonly Row[]>>> = {
  start: measureStart,
  engine: async () => {
    const directory = await mkdtemp(join(tmpdir(), 'tallyman-compose-'))
    stack.defer(() => rm(directory, { recursive: true, force: true }))
    const compose = await findCompose(directory)
    say(compose === undefined ? 'docker compose v2: not available' : `docker compose ${compose.version}`)
    return measureEngine({ ...around, ...options, compose, images: [...images], say })
  },
  instances: () => measureInstances({ ...around, ...options, images: [...images], say }),
  resolve: () => measureResolve(gitServer),
  largest: () => measureLargest({ dockerSocket, image: images[0] }),
  memory: () => measureMemory({ ...around, ...options, image: images[0] }),
  ingress: () => measureIngress({ ...around, ...options, registry, say }),
}
const rows: Row[] = []
for (const section of options.sections) rows.push(...(await measurements[section]()))

process.stdout.write(`${table(rows)}\n\n${reasons(rows)}\n`)
process.exitCode = rows.some(({ reached }) => reached === false) ? 1 : 0
