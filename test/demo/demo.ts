import { createTallyman } from '../support/command/tallyman.ts'
import { cleanUp } from '../support/engine/clean-up.ts'
import { createRepository } from '../support/git/repository.ts'
import { pushImage } from '../support/images/images.ts'
import { uniqueName } from '../support/suite/env.ts'
import { startMachine } from '../support/suite/machine.ts'
import { startFleet } from './fleet.ts'
import { tellOfFleet } from './fleet-story.ts'
import { createStage } from './stage.ts'
import { tell } from './story.ts'

/**
 * `npm run demo`: tallyman from the first commit to a rollback, on a real engine and a real registry, in well under
 * a minute. `npm run demo -- --fleet`: one new version on its way through four engines. `--yes`, or no terminal to ask on: nobody is asked. Everything it starts or makes is gone at its end.
 */
const interrupted = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => interrupted.abort(new Error('Interrupted.')))
}
const yes = process.argv.includes('--yes') || process.stdin.isTTY !== true || process.stderr.isTTY !== true

try {
  const isFleet = process.argv.includes('--fleet')
  await (isFleet ? demoOfFleet : demo)(yes, interrupted.signal)
} catch (error) {
  process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = interrupted.signal.aborted ? 130 : 1
}

async function demo(yes: boolean, signal: AbortSignal): Promise<void> {
  await using stack = new AsyncDisposableStack()
  process.stdout.write('Tallyman: what git says is what runs.\n\n')
  const machine = stack.use(await startMachine())
  const { dockerSocket, registry } = machine
  const environment = uniqueName('demo')
  stack.use(cleanUp(dockerSocket, environment))
  const versions = [
    await pushImage(registry, 'shop', '1.0.0', { env: { GOODS: 'hats' } }),
    await pushImage(registry, 'shop', '1.1.0', { env: { GOODS: 'hats umbrellas' } }),
  ] as const
  const repository = stack.use(await createRepository())
  const tallyman = stack.use(
    await createTallyman(
      { repository: { url: repository.url }, registry: registry.host, healthyTime: '500ms', poll: '1s' },
      dockerSocket,
    ),
  )
  process.stdout.write(`${machine.description}\n`)
  signal.throwIfAborted()
  const stage = createStage({ tallyman, yes, signal })
  await tell({ stage, repository, tallyman, environment, versions })
  process.stdout.write('\nCleaning up: the daemon stops; containers, network, images and repository go.\n')
}

async function demoOfFleet(yes: boolean, signal: AbortSignal): Promise<void> {
  await using stack = new AsyncDisposableStack()
  process.stdout.write('Tallyman: how a version reaches many sites.\n\n')
  const machine = stack.use(await startMachine())
  const { dockerSocket, registry } = machine
  signal.throwIfAborted()
  const fleet = stack.use(await startFleet({ dockerSocket, registry, environment: uniqueName('demo') }))
  process.stdout.write(`${machine.description}, and three more engines (started)\n`)
  signal.throwIfAborted()
  await tellOfFleet({ ...fleet, stage: createStage({ tallyman: fleet.tallyman, yes, signal }) })
  process.stdout.write('\nCleaning up: the daemon stops; engines, containers, images and repository go.\n')
}
