import { exitsWith, staysUp } from './container/programs.ts'
import type { SimulatedImageOptions } from './image/registry.ts'

/** An image of a Caddy that accepts every configuration, has no request under way and counts none. */
export const caddy: SimulatedImageOptions = {
  cmd: ['caddy', 'run'],
  behaves: {
    programs: {
      caddy: ([verb]) => (verb === 'run' ? staysUp() : exitsWith(0, 0, verb === 'version' ? 'v2.10.0' : '')),
      wget: ([, , , url = '']) => exitsWith(0, 0, url.endsWith('/upstreams') ? '[]' : ''),
      // The question for its metrics.
      sh: () => exitsWith(0),
    },
  },
}
