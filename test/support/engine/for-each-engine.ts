import { type ImageOptions, type PushedImage, pushImage } from '../images/images.ts'
import type { RegistryAddress } from '../images/registry.ts'
import { type SimulatedEngine, simulatedEngine } from '../simulated/engine.ts'
import { testMachine } from '../suite/env.ts'

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

/** How mocha's `it` is called here. */
type It = (title: string, body: () => Promise<void>) => void

/**
 * Makes of `it` one that leaves a test out on the real engine: for what our own code decides, about answers to calls
 * whose every kind is made on the real engine by another test of the file.
 */
export type Decisions = (it: It) => It

/**
 * In place of `describe`: the same tests on a simulated engine and on the real one. What passes on one and not on the
 * other shows where the simulation is wrong. The tests of one engine share it.
 */
export function forEachEngine(
  what: string,
  tests: (engine: () => Promise<TestedEngine>, decisions: Decisions) => void,
): void {
  describe(`${what} on a simulated engine`, () => {
    let started: Promise<SimulatedEngine> | undefined
    tests(async () => {
      started ??= simulatedEngine()
      return simulated(await started)
    }, unchanged)
    after(async () => (await started)?.[Symbol.asyncDispose]())
  })
  describe(`${what} on a real engine`, () => tests(realEngine, leftOut))
}

const unchanged: Decisions = it => it
const leftOut: Decisions = () => () => undefined
