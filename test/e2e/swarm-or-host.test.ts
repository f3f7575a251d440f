import { removed, testSameApplication } from '../scenes/same-application.ts'
import { createScene } from '../scenes/scene.ts'
import { swarmForTests } from '../support/swarm.ts'

/** What it is run as. */
const phases = `#!/bin/sh
echo "$1 $TAG" >> /storage/phases
case $1 in
  deploy) [ "$TAG" != bad ] ;;
  serve) trap 'exit 0' TERM; sleep 1000000 & wait $! ;;
esac
`

describe('the same application on a Swarm of one node', function () {
  this.timeout(300_000)

  const engine = swarmForTests()
  testSameApplication({
    async createScene() {
      const site = { name: 'here', endpoint: `unix://${engine.socket}`, kind: 'swarm' }
      const scene = await createScene({
        commands: 'here',
        dockerSocket: engine.socket,
        // The kernel of this machine may have no IPVS, which virtual addresses and the routing mesh need.
        config: { sites: [{ ...site, endpointMode: 'dnsrr', publishMode: 'host' }] },
      })
      const blog = { files: { '/run-phase': phases }, entrypoint: ['/run-phase'], cmd: ['serve'] }
      return { ...scene, pushBlog: (TAG: string) => scene.push('blog', TAG, { ...blog, env: { TAG } }) }
    },
    takeAway: ({ dockerSocket, environment }) => removed(dockerSocket, `/services/${environment}_shop_web`),
  })
})
