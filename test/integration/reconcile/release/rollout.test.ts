import { expect } from 'chai'
import {
  extremes,
  image,
  update,
  watchEvents,
  withoutRepeats,
} from '../../../scenes/happenings/watch-updates.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { createScene } from '../scene.ts'

describe('updates in a row, as the events of the engine show them', () => {
  const it = sideBySide()

  it('D7 20 rolling ones never have fewer than replicas - maxUnavailable ready, nor more than replicas + maxSurge running', async () => {
    await using scene = await createScene()
    scene.push('web', '1', image)
    using watch = await watchEvents(scene)
    const services = {
      some: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } },
      none: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    }
    await update(scene, watch, services, 0, '20ms')
    const begun = watch.moments.length
    for (let number = 1; number <= 10; number++)
      expect(await update(scene, watch, services, number, '20ms')).to.deep.equal([
        'none: replace, rolling, without a gap',
        'some: replace, rolling, without a gap',
      ])
    expect(extremes(watch.moments.slice(begun), 'some')).to.equal(
      '20 replaced, at least 1 ready, at most 3 running',
    )
    expect(extremes(watch.moments.slice(begun), 'none')).to.equal(
      '20 replaced, at least 2 ready, at most 3 running',
    )
  })

  it('D7 H20 with Recreate each has the gap that the plan announced and no other, in which only stops and starts happen', async () => {
    await using scene = await createScene()
    scene.push('web', '1', image)
    using watch = await watchEvents(scene)
    const services = { web: { type: 'Recreate' } }
    await update(scene, watch, services, 0, '20ms')
    for (let number = 1; number <= 2; number++) {
      const begun = watch.moments.length
      expect(await update(scene, watch, services, number, '20ms')).to.deep.equal([
        'web: replace, recreate, with a gap',
      ])
      const moments = watch.moments.slice(begun)
      expect(extremes(moments, 'web')).to.equal('2 replaced, at least 0 ready, at most 2 running')
      const course = moments.map(({ ready }) => (ready === 0 ? 'gap' : 'serves'))
      expect(withoutRepeats(course)).to.deep.equal(['serves', 'gap', 'serves'])
      const inGap = new Set(moments.filter(({ ready }) => ready === 0).map(({ action }) => action))
      expect([...inGap].sort()).to.deep.equal(['die', 'kill', 'start'])
    }
  })
})
