import { expect } from 'chai'
import { createScene, jsonText } from '../../scenes/scene.ts'
import { mountSmallDisk } from '../../support/files/small-disk.ts'
import { sideBySide } from '../../support/suite/side-by-side.ts'
import { waitUntil } from '../../support/time/wait-until.ts'

describe('a state directory without room', () => {
  const it = sideBySide()

  it('G25 a Recreate rollout that had begun is brought to its end, and is on record once there is room', async () => {
    await using scene = await createScene({ config: { healthyTime: '2s' } })
    using disk = mountSmallDisk(scene.tallyman.stateDir)
    await Promise.all([scene.push('web', '1'), scene.push('web', '2', { env: { V: '2' } })])
    const commit = (version: string) =>
      scene.commit({ services: [{ name: 'web' }], skipConfirmation: true }, `web ${version}`, {
        'applications/web.json': jsonText({
          name: 'web',
          services: [
            {
              name: 'web',
              strategy: { type: 'Recreate' },
              containers: [{ name: 'web', image: `${scene.prefix}/web:${version}` }],
            },
          ],
        }),
      })
    await commit('1')
    const daemon = await scene.tallyman.daemon()
    await daemon.until('it is deployed', seen => seen.sync === 'Synced' && seen.running === undefined)

    await commit('2')
    await waitUntil('the old one is stopped', async () =>
      (await scene.containers()).some(({ state }) => state === 'exited'),
    )
    disk.fill()
    const { errors } = await daemon.until('it says so', seen =>
      seen.errors.some(({ code }) => code === 'disk-full' || code === 'journal-unusable'),
    )
    expect(errors[0]?.message).to.include('tallyman.sqlite')
    expect(
      (await scene.containers()).map(({ state, labels }) => `${labels['tallyman.image']} ${state}`),
    ).to.deep.equal([`${scene.prefix}/web:2 running`])

    disk.makeRoom()
    await daemon.until('it is in sync', seen => seen.sync === 'Synced' && seen.errors.length === 0)
    expect((await scene.tallyman.run('log')).stdout).to.match(/applied.*"web 2"/)
  })

  it('G25 a daemon that is started on it waits, says why, and goes on once there is room', async () => {
    await using scene = await createScene()
    using disk = mountSmallDisk(scene.tallyman.stateDir)
    await scene.commit({ services: [] })
    disk.fill()
    const first = scene.tallyman.start('daemon')
    await waitUntil('it says so', async () => first.said().stderr.includes('cannot start yet') || undefined)
    first.signal('SIGTERM')
    expect((await first.ended).code).to.equal(0)

    const second = scene.tallyman.start('daemon')
    await waitUntil('it says so', async () => second.said().stderr.includes('cannot start yet') || undefined)
    disk.makeRoom()
    await waitUntil('it watches', async () => second.said().stderr.includes('tallyman watches') || undefined)
    second.signal('SIGTERM')
    expect((await second.ended).code).to.equal(0)
  })
})
