import { parseArgs } from 'node:util'
import { startSecondEngine } from '../support/engine/dockerd.ts'
import { registryVariable, socketVariable } from '../support/suite/env.ts'
import { startMachine } from '../support/suite/machine.ts'
import { disturb } from './disturb.ts'

/**
 * `npm run chaos -- --seeds 40 --steps 25`: random disturbances of a running daemon on an engine of its own, a fixed
 * row of them for each seed. Then everything is left alone, and within a minute exactly what is written has to run.
 * The exit code is 1 if some seed ended otherwise.
 */
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '10' },
    first: { type: 'string', default: '1' },
    steps: { type: 'string', default: '25' },
    lanes: { type: 'string', default: '2' },
  },
})

await using machine = await startMachine()
await using engine = await startSecondEngine()
process.env[socketVariable] = engine.socket
process.env[registryVariable] = machine.registry.host

const first = Number(values.first)
const seeds = Array.from({ length: Number(values.seeds) }, (_, index) => first + index).values()
const complaints: string[] = []
const lane = async () => {
  for (const seed of seeds) {
    const { steps, convergedMs, complaint } = await disturb(seed, Number(values.steps), engine)
    const how = complaint ?? `converged in ${(convergedMs / 1000).toFixed(1)} s`
    process.stdout.write(`seed ${seed}: ${how}\n`)
    if (complaint === undefined) continue
    complaints.push(`seed ${seed}`)
    process.stdout.write(`${steps.map(step => `    ${step}`).join('\n')}\n`)
  }
}
await Promise.all(Array.from({ length: Number(values.lanes) }, lane))
process.stdout.write(
  complaints.length === 0 ? 'all converged\n' : `not as it should be: ${complaints.join(', ')}\n`,
)
process.exitCode = complaints.length === 0 ? 0 : 1
