import { type SimulatedEngine, simulatedEngine } from '../../support/simulated/engine.ts'
import type { SimulatedImageOptions } from '../../support/simulated/image/registry.ts'
import type { TestMachine } from '../../support/suite/env.ts'

/** A machine whose engine is simulated in this process, and outlives the processes that are killed. */
export type SimulatedMachine = TestMachine &
  AsyncDisposable & {
    readonly engine: SimulatedEngine
    push(image: string, tag: string, options?: SimulatedImageOptions): void
  }

/** For what is left to do after a death: that is read from what the engine has, whatever engine it is. */
export async function simulatedMachine(): Promise<SimulatedMachine> {
  const engine = await simulatedEngine()
  const { registry } = engine
  return {
    engine,
    dockerSocket: engine.socket,
    registry: { host: registry.host, url: `https://${registry.host}` },
    push: (image, tag, options) => void registry.push(image, tag, options),
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  }
}
