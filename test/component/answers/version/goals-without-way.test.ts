import { expect } from 'chai'
import { unreachableAmong } from '../../../../lib/answers/version/goals-without-way.ts'
import { sayOfLastEntry } from '../../../../lib/answers/version/queue-word.ts'
import { queueScene, steppingStones, version } from '../../../support/builders/queue-scene.ts'

/** Why nothing comes of a version of `web` on the site; undefined: a path leads there. */
function whyNot({ world: { journal } }: Awaited<ReturnType<typeof queueScene>>, version: string) {
  const goal = { site: 'local', application: 'web', version }
  return unreachableAmong(journal, 'prod', [goal])[0]?.reason
}

describe('a version that somebody may want to force', () => {
  it('A42 A66 is reachable where a path leads, also by way of others', async () => {
    const scene = await queueScene(steppingStones)
    await scene.at('2')
    await scene.at('3')
    expect([whyNot(scene, '3.0'), whyNot(scene, '3.0.1')]).to.deep.equal([undefined, undefined])
  })

  it('A42 A66 is not where none leads: neither the wanted one, nor one before it', async () => {
    const scene = await queueScene({
      1: version('1', '1'),
      2: version('2', '2', '^1\\.9$'),
      3: version('3', '3', '^1'),
    })
    const reason = 'no entry of "upgrade-from" leads from 1 to 2'
    await scene.at('2')
    expect(whyNot(scene, '2')).to.equal(reason)
    await scene.at('3')
    expect([whyNot(scene, '2'), whyNot(scene, '3')]).to.deep.equal([reason, undefined])
  })

  it('A42 A66 is not where the version on the way was deleted, whether or not a pass has found that', async () => {
    const scene = await queueScene(steppingStones)
    await scene.at('2')
    await scene.at('3')
    sayOfLastEntry(scene.world.journal, {
      ...{ environment: 'prod', site: 'local', application: 'web', version: '3.0' },
      ...{ word: 'deleted', who: 'ann', atMs: 0 },
    })
    const why = whyNot(scene, '3.0.1')
    expect(why).to.match(/leads from 2\.0\.4 to 3\.0\.1, and 3\.0 was deleted from the queue by ann/)
    await scene.pass()
    expect(whyNot(scene, '3.0.1')).to.match(
      /leads from 2\.0\.4 to 3\.0\.1, and 3\.0 was deleted from the queue/,
    )
  })
})
