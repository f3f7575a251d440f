import { servicesOfSwarm } from '../../../scenes/swarm-services.ts'
import { createSwarmScene } from '../scene.ts'

/** `test/swarm/of-one/swarm.test.ts` has the same tests on a real one. */
describe('a simulated Swarm as a site', () => {
  servicesOfSwarm(it, createSwarmScene)
})
