import { expect } from 'chai'
import { documentOf, expectCode } from '../../scenes/plan-document.ts'
import { createScene, service } from '../../scenes/scene.ts'
import { sideBySide } from '../../support/suite/side-by-side.ts'

describe('--output json', () => {
  const it = sideBySide()

  it('G6 apply adds the outcome; progress goes to stderr', async () => {
    await using scene = await createScene()
    await scene.push('web', '1')
    await scene.commit({ services: [service('web', '1')] })
    const applied = await scene.tallyman.run('apply', '--yes', '--output', 'json')
    expectCode(applied, 0)
    expect(documentOf(applied)).to.include({ outcome: 'applied', environment: scene.environment })
    expect(documentOf(applied)).to.not.have.property('error')
    const again = await scene.tallyman.run('apply', '--yes', '--output', 'json')
    expect(documentOf(again)).to.include({ outcome: 'in-sync', sync: 'Synced' })
  })
})
