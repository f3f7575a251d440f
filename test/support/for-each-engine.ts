import { testMachine } from './env.ts'
import { type ImageOptions, type PushedImage, pushImage } from './images.ts'
import type { RegistryAddress } from './registry.ts'
import { type SimulatedEngine, simulatedEngine } from './simulated/engine.ts'

/** An engine that the same tests run on, and the registry that it pulls from. */
export type TestedEngine = {
  readonly isSimulated: boolean
  readonly socket: string
  readonly registry: RegistryAddress
  push(name: string, tag: string, options?: ImageOptions): Promise<PushedImage>
}

/** The engine of this machine. */
export async function realEngine(): Promise<TestedEngine> {
  const { dockerSocket, registry } = await testMachine()
  return {
    isSimulated: false,
    socket: dockerSocket,
    registry,
    push: (name, tag, options) => pushImage(registry, name, tag, options),
  }
}

function simulated({ socket, registry }: SimulatedEngine): TestedEngine {
  return {
    isSimulated: true,
    socket,
    registry: { host: registry.host, url: `http://${registry.host}` },
    push: async (name, tag, options) => registry.push(name, tag, options),
  }
}

/**
 * In place of `describe`: the same tests on a simulated engine and on the real one. What passes on one and not on the
 * other shows where the simulation is wrong. The tests of one engine share it.
 */
export function forEachEngine(what: string, tests: (engine: () => Promise<TestedEngine>) => void): void {
  describe(`${what} on a simulated engine`, () => {
    let started: Promise<SimulatedEngine> | undefined
    tests(async () => {
      started ??= simulatedEngine()
      return simulated(await started)
    })
    after(async () => (await started)?.[Symbol.asyncDispose]())
  })
  describe(`${what} on a real engine`, () => tests(realEngine))
}
