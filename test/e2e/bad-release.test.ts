import { expect } from 'chai'
import { exits, type ImageOptions } from '../support/images.ts'
import { sideBySide } from '../support/side-by-side.ts'
import { documentOf, expectCode } from './document.ts'
import { createScene, service, startTimes } from './scene.ts'

type BadRelease = { readonly what: string; readonly code: string; readonly image: ImageOptions }

const badReleases: readonly BadRelease[] = [
  { what: 'exits at once', code: 'exited-early', image: { cmd: exits(7) } },
  {
    what: 'never becomes healthy',
    code: 'unhealthy',
    image: { healthcheck: { test: ['CMD', 'false'], intervalMs: 100, timeoutMs: 2_000, retries: 2 } },
  },
]

describe('a release that fails', () => {
  const it = sideBySide()

  for (const { what, code, image } of badReleases) {
    it(`G5 G6 that ${what} is rolled back: what ran before was never stopped`, async () => {
      await using scene = await createScene()
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
    })
  }

  it('H9 is kept with what it said, disturbs nothing, and goes with its application', async () => {
    await using scene = await createScene({ config: { keepFailed: 1 } })
    const cmd = ['sh', '-c', 'echo "no database"; exit 7']
    await Promise.all([scene.push('web', '1'), scene.push('web', '2', { cmd }), scene.push('api', '1')])
    await scene.commit({ services: [service('web', '1'), service('api', '1')] })
    expectCode(await scene.tallyman.run('apply', '--yes'), 0)

    await scene.commit({ services: [service('web', '2'), service('api', '1')] })
    const applied = await scene.tallyman.run('apply', '--yes', '--output', 'json')
    expect(documentOf(applied)).to.include({ outcome: 'rolled-back' })
    expect(documentOf(applied).error?.message).to.match(/with code 7: no database/)
    const shown = await scene.tallyman.run('show', '2')
    expect(shown.stdout).to.match(
      /Failed: \S+ on local\n {2}ended with code 7.*\n {2}Its last \d+ lines:\n {4}no database/,
    )

    await scene.commit({ services: [service('web', '1'), service('api', '1')] })
    expectCode(await scene.tallyman.run('plan', '--detailed-exitcode'), 0)
    expect((await scene.containers()).map(({ service, state }) => `${service} ${state}`)).to.have.members([
      'api running',
      'web running',
      'web exited',
    ])
    await scene.commit({ services: [service('api', '1')] })
    expectCode(await scene.tallyman.run('apply', '--yes'), 0)
    expect((await scene.containers()).map(({ service }) => service)).to.deep.equal(['api'])
  })
})
