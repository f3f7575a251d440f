import { expect } from 'chai'
import { repaired } from '../../scenes/happenings/await-repair.ts'
import { expectCode } from '../../scenes/plan-document.ts'
import { createScene, service } from '../../scenes/scene.ts'
import { sshSite } from '../../support/engine/ssh-site.ts'
import { waitUntil } from '../../support/time/wait-until.ts'

describe('a site over SSH', () => {
  it('G15 G17 G25 gets what apply deploys and a daemon repairs, also after a cut, goes on with a rollout that it cuts, and has nothing left when they are gone', async () => {
    await using there = await sshSite()
    const { server } = there
    const gone = (of: string) =>
      waitUntil(`no connection of ${of} is left`, async () => (await server.connections()) === 0)
    await using scene = await createScene({ config: { sites: [there.site()], healthyTime: '2s' } })
    await scene.push('web', '1')
    await scene.commit({ services: [service('web', '1')], skipConfirmation: true })

    const applied = await scene.tallyman.run('apply')
    expectCode(applied, 0)
    expect(await scene.containers()).to.have.lengthOf(1)
    await gone('apply')

    const daemon = await scene.tallyman.daemon()
    await daemon.until('it is deployed', seen => seen.sync === 'Synced' && seen.running === undefined)
    await repaired(scene)
    expect(await server.signal('SIGKILL')).to.be.greaterThan(0)
    await daemon.until('it is reached again', seen => seen.sync === 'Synced' && seen.running === undefined)
    await repaired(scene)

    await scene.push('web', '2', { env: { V: '2' } })
    await scene.commit({ services: [service('web', '2')], skipConfirmation: true })
    const second = async () =>
      (await scene.containers()).find(
        ({ labels, state }) => labels['tallyman.image']?.endsWith(':2') === true && state === 'running',
      )
    const begun = await waitUntil('the second is watched', second)
    await server.signal('SIGKILL')
    await daemon.until('the rollout goes on', ({ sync, running, applications: [web] }) => {
      return sync === 'Synced' && running === undefined && web?.version === '2'
    })
    expect((await scene.containers()).map(({ id }) => id)).to.deep.equal([begun.id])
    daemon.signal('SIGKILL')
    await gone('the daemon')
  })
})
