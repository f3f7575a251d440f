import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { engineCall } from '../../support/engine/engine-call.ts'
import { startGitServer } from '../../support/git/git-server.ts'
import { pushImage } from '../../support/images/images.ts'
import { startMachine } from '../../support/suite/machine.ts'
import { measureEngine } from '../engine/measure-engine.ts'
import { measureInstances } from '../engine/measure-instances.ts'
import { measureRolloutsOnSwarm } from '../ingress/ingress-rollouts.ts'
import { measureIngress } from '../ingress/measure-ingress.ts'
import { measureStart } from '../measure-start.ts'
import { measureLargest } from '../sites/measure-largest.ts'
import { measureMemory } from '../sites/measure-memory.ts'
import { measureResolve } from '../sites/measure-resolve.ts'
import { measureSwarm } from '../swarm/measure-swarm.ts'
import { findCompose } from './compose.ts'
import type { MachineSection, Options } from './options.ts'
import type { Row } from './table.ts'

export type Measurements<Name extends string> = Readonly<Record<Name, () => Promise<readonly Row[]>>>

/** Starts a machine with a Docker Engine, a registry and a git server, and returns what is measured on it. */
export async function measurementsOnMachine(
  stack: AsyncDisposableStack,
  options: Options,
  say: (line: string) => void,
): Promise<Measurements<MachineSection>> {
  const machine = stack.use(await startMachine())
  const gitServer = stack.use(await startGitServer())
  say(machine.description)
  const { dockerSocket, registry } = machine
  const images = [
    await pushImage(registry, 'bench', '1', { env: { RELEASE: '1' } }),
    await pushImage(registry, 'bench', '2', { env: { RELEASE: '2' } }),
  ] as const
  for (const tag of ['1', '2'])
    await engineCall(dockerSocket, 'POST', `/images/create?fromImage=${registry.host}/bench&tag=${tag}`)
  const around = { dockerSocket, gitServer }
  return {
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
    swarm: async () => [
      ...(await measureSwarm({ gitServer, ...options, images: [...images], say })),
      ...(await measureRolloutsOnSwarm({ ...around, ...options, registry, say })),
    ],
  }
}
