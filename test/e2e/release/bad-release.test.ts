import { expectRolledBack } from '../../scenes/happenings/expect-rolled-back.ts'
import { createScene } from '../../scenes/scene.ts'

describe('a release that fails', () => {
  it('G5 G6 that never becomes healthy is rolled back: what ran before was never stopped', async () => {
    await using scene = await createScene()
    const healthcheck = { test: ['CMD', 'false'], intervalMs: 100, timeoutMs: 2_000, retries: 2 }
    await expectRolledBack(scene, { healthcheck }, 'unhealthy')
  })
})
