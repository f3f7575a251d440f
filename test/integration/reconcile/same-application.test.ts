import { removed, testSameApplication } from '../../scenes/same-application.ts'
import { pushBlog } from './push-blog.ts'
import { createScene } from './scene.ts'

describe('the same application on a host', () => {
  testSameApplication({
    createScene: async () => {
      const scene = await createScene({ site: { name: 'here' } })
      return { ...scene, pushBlog: (tag: string) => pushBlog(scene, tag) }
    },
    async takeAway({ dockerSocket }, containers) {
      for (const id of containers) await removed(dockerSocket, `/containers/${id}?force=1`)
    },
  })
})
