import { connect } from '../../../lib/docker/connect.ts'
import { label } from '../../../lib/state/labels.ts'
import { engineCall } from '../engine/engine-call.ts'
import { simulatedEngine } from '../simulated/engine.ts'
import type { SimulatedRegistry } from '../simulated/image/registry.ts'
import type { FleetEngine } from './faulty-fleet.ts'

/** Starts a simulated engine, and returns how it is reached over HTTP. Both end with the stack. */
export async function engineOverHttp(
  site: string,
  registry: SimulatedRegistry,
  stack: AsyncDisposableStack,
): Promise<FleetEngine> {
  const simulated = stack.use(await simulatedEngine({ registry }))
  const engine = connect({ name: site, endpoint: simulated.endpoint }, async () => undefined)
  stack.defer(engine.close)
  return {
    engine,
    runs: () =>
      simulated
        .containers()
        .filter(({ state }) => state.status === 'running')
        .map(({ config: { Labels } }) => (Labels[label.image] ?? '').split(':').at(-1) ?? ''),
    async lose() {
      for (const { id } of simulated.containers())
        await engineCall(simulated.socket, 'DELETE', `/containers/${id}?force=true`)
    },
  }
}
