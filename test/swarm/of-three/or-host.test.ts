import { removed, testSameApplication } from '../../scenes/applications/same-application.ts'
import { createScene } from '../../scenes/scene.ts'
import { swarmOfThree } from '../../support/engine/swarm-nodes.ts'
import { writtenOn } from '../../support/engine/volume-file.ts'

/** What it is run as, and when: all nodes have one clock. */
const phases = `#!/bin/sh
echo "$(cut -d' ' -f1 /proc/uptime) $1 $TAG" >> /storage/phases
case $1 in
  deploy) [ "$TAG" != bad ] ;;
  serve) trap 'exit 0' TERM; sleep 1000000 & wait $! ;;
esac
`

describe('the same application on a Swarm of three nodes', () => {
  const swarm = swarmOfThree()

  testSameApplication({
    async createScene() {
      const { machine, nodes } = swarm
      const engines = nodes.map(({ socket }) => socket)
      const site = { name: 'here', endpoint: `unix://${machine.dockerSocket}`, kind: 'swarm' }
      const scene = await createScene({
        ...{ commands: 'here', machine },
        // The kernel of this machine may have no IPVS, which virtual addresses and the routing mesh need.
        config: { sites: [{ ...site, endpointMode: 'dnsrr', publishMode: 'host' }] },
      })
      const blog = { files: { '/run-phase': phases }, entrypoint: ['/run-phase'], cmd: ['serve'] }
      return {
        ...{ ...scene, engines },
        pushBlog: (TAG: string) => scene.push('blog', TAG, { ...blog, env: { TAG } }),
        /** Each node has a volume of its own. */
        async phases() {
          const lines = await writtenOn(engines, `${scene.environment}.blog.storage`, 'phases')
          const inOrder = lines.toSorted((a, b) => parseFloat(a) - parseFloat(b))
          return inOrder.map(line => line.replace(/^\S+ /, ''))
        },
      }
    },
    crash: { code: 'update-stopped', words: 'non-zero exit (3): boom', toldWithin: '20s' },
    takeAway: ({ dockerSocket, environment }) => removed(dockerSocket, `/services/${environment}_shop_web`),
  })
})
