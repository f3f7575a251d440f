import { expect } from 'chai'
import type { ImageOptions } from '../../support/images/images.ts'
import { documentOf, expectCode } from '../plan-document.ts'
import { type AnyScene, service, startTimes } from '../scene.ts'

/** Deploys a release that is good and then one of this image, which is rolled back with that error. */
export async function expectRolledBack(scene: AnyScene, image: ImageOptions, code: string): Promise<void> {
  await Promise.all([scene.push('web', '1'), scene.push('web', '2', image)])
  await scene.commit({ services: [service('web', '1', '1')] })
  expectCode(await scene.tallyman.run('apply', '--yes'), 0)
  const before = await startTimes(scene)

  await scene.commit({ services: [service('web', '2', '2')] })
  const applied = await scene.tallyman.run('apply', '--yes', '--output', 'json')
  expectCode(applied, 1)
  expect(documentOf(applied).outcome).to.equal('rolled-back')
  expect(documentOf(applied).error).to.include({ code })
  expect(documentOf(applied).error?.hint).to.be.a('string').and.not.equal('')
  expect(await startTimes(scene)).to.deep.equal(before)
}
