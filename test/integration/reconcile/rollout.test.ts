import { expect } from 'chai'
import { extremes, image, update, watchEvents } from '../../e2e/updates.ts'
import { createScene } from './scene.ts'

describe('updates in a row, as the events of the engine show them', () => {
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
})
