import { expect } from 'chai'
import {
  holds,
  hookOf,
  idsOf,
  lineOf,
  manifest,
  remove,
  runs,
  slow,
  told,
  underWay,
} from '../../../scenes/applications/slow-and-others.ts'
import type { SimulatedScene } from '../../../support/simulated/scene.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'

/**
 * Removes `quick` once this call is made for `young`, which is installed; and lets `young` be in place while a pass
 * beside that waits for the answer to its own call. Returns what there was of `young` before, once all is as wanted.
 */
async function installedDuringLook(
  scene: SimulatedScene,
  call: RegExp,
  callOfLook: RegExp,
): Promise<readonly string[]> {
  const begun = holds(scene, call)
  await scene.commit(manifest({ quick: '1', young: '1' }), slow('1'))
  await begun.asked
  const looked = holds(scene, callOfLook)
  await remove(scene, 'quick')
  await looked.asked
  const young = idsOf(scene, 'young')
  begun.open()
  await waitUntil('young is in place', async () => (await told(scene, 'young')) === 'Synced Healthy 1')
  looked.open()
  await waitUntil('quick is back', async () => lineOf(scene, 'quick')?.endsWith(' running') === true)
  await scene.until('all is as wanted', ({ sync, errors }) => sync === 'Synced' && errors.length === 0)
  return young
}

describe('an application beside another one that is being changed', () => {
  it('G17 D5 is repaired meanwhile, again and again, and both are as wanted in the end', async () => {
    await using scene = await underWay()
    for (const _ of ['once', 'twice']) {
      await remove(scene, 'quick')
      await waitUntil('it is back', async () => lineOf(scene, 'quick')?.endsWith(' running') === true)
      await waitUntil('it is told', async () => (await told(scene, 'quick')) === 'Synced Healthy 1')
    }
    expect(hookOf(scene)?.state.status).to.equal('running')
    expect(scene.has('local').join(), 'nothing else is touched').to.include('slow:1 running')
    await remove(scene, 'slow', 'hook')
    await scene.until('both are as wanted', ({ sync, errors }) => sync === 'Synced' && errors.length === 0)
    expect(scene.has('local')).to.deep.equal([
      'quick.1 registry.example.com/quick:1 running',
      'slow.1 registry.example.com/slow:2 running',
    ])
  })

  it('G13 G17 is told as it is where drift is only reported', async () => {
    await using scene = await underWay({ config: { drift: 'report' } })
    await remove(scene, 'quick')
    await waitUntil('it is told', async () => (await told(scene, 'quick')) === 'OutOfSync Missing 0')
    expect(lineOf(scene, 'quick')).to.equal(undefined)
    expect(hookOf(scene)?.state.status).to.equal('running')
  })

  it('G17 D3 comes back as it was while another version of it waits for an approval', async () => {
    await using scene = await underWay({}, 'asks')
    await scene.commit(manifest({ quick: '2' }, 'asks'), slow('2'))
    await waitUntil('it waits', async () => (await told(scene, 'quick')).startsWith('OutOfSync'))
    await remove(scene, 'quick')
    await waitUntil('it is back', async () => lineOf(scene, 'quick') === undefined)
    await waitUntil('it is back', async () => lineOf(scene, 'quick')?.endsWith('quick:1 running') === true)
    expect(hookOf(scene)?.state.status).to.equal('running')
  })

  it('G17 G1 is repaired, and what was in place after the look at the site is not put back', async () => {
    await using scene = await runs({ quick: '1' })
    // The look finds the attempt open, and asks this after that.
    const young = await installedDuringLook(scene, /^POST .*\/start$/, /^GET \/networks$/)
    expect(idsOf(scene, 'young')).to.deep.equal(young)
  })

  it('G17 G1 is repaired, and what was created before the look and in place after it is not started again', async () => {
    await using scene = await runs({ quick: '1' })
    const inspection = /^GET \/containers\/[0-9a-f]{64}\/json$/
    const young = await installedDuringLook(scene, /^POST \/containers\/create$/, inspection)
    expect(idsOf(scene, 'young')).to.deep.equal(young)
    const starts = scene.site('local').calls.filter(call => call.includes('young') && call.endsWith('/start'))
    expect(starts).to.have.lengthOf(1)
  })

  it('G17 G12 is looked after by the next pass if a newer commit takes over meanwhile', async () => {
    await using scene = await underWay()
    await remove(scene, 'quick')
    await scene.commit(manifest({ quick: '2', young: '1' }), slow('2'))
    await waitUntil('both are there', async () => {
      const lines = ['quick', 'young'].map(name => lineOf(scene, name))
      return lines[0]?.endsWith('quick:2 running') === true && lines[1]?.endsWith('quick:1 running') === true
    })
    expect(hookOf(scene)?.state.status).to.equal('running')
  })
})
