import { removed, testSameApplication } from '../../../scenes/applications/same-application.ts'
import { execIn } from '../../../support/engine/exec-in.ts'
import { runningFrom } from '../../../support/engine/tasks-on.ts'
import { pushBlog } from '../release/push-blog.ts'
import { createScene } from '../scene.ts'

describe('the same application on a host', () => {
  testSameApplication({
    createScene: async () => {
      const scene = await createScene({ site: { name: 'here' } })
      return {
        ...{ ...scene, engines: [scene.dockerSocket] },
        pushBlog: (tag: string) => pushBlog(scene, tag),
        async phases() {
          const [one] = await runningFrom(scene.dockerSocket, scene.prefix)
          const text = await execIn(scene.dockerSocket, one?.id ?? '', 'cat /storage/phases')
          const lines = text.trim().split('\n')
          return lines.filter(line => !line.startsWith('ended'))
        },
      }
    },
    crash: { code: 'exited-early', words: 'boom', toldWithin: '300ms' },
    async takeAway({ dockerSocket }, containers) {
      for (const id of containers) await removed(dockerSocket, `/containers/${id}?force=1`)
    },
  })
})
