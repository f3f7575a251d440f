import { everyImage } from '../memory/memory-daemon.ts'
import { memoryEngine } from '../memory/memory-engine.ts'
import type { FleetEngine } from './faulty-fleet.ts'

export async function engineInMemory(site: string): Promise<FleetEngine> {
  const engine = memoryEngine({ site, distribution: everyImage })
  return {
    engine,
    runs: () =>
      [...engine.has().containers.values()]
        .filter(({ state }) => state === 'running')
        .map(({ image }) => image.slice(image.lastIndexOf(':') + 1)),
    lose: async () => engine.lose(),
  }
}
