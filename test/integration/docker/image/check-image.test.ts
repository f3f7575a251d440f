import { expect } from 'chai'
import type { SoughtProgram } from '../../../../lib/plan/step/host-step.ts'
import type { Step } from '../../../../lib/plan/step/step.ts'
import { forEachEngine } from '../../../support/engine/for-each-engine.ts'
import type { PushedImage } from '../../../support/images/images.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { type TestSite, testSite } from '../site.ts'

type Needs = { readonly user?: string; readonly directory?: string; readonly program?: SoughtProgram }

const needing = ({ reference, digest }: PushedImage, needs: Needs): Step => ({
  do: 'check-image',
  of: 'shop/web/main',
  image: { reference, pin: { state: 'pinned', digest } },
  ...needs,
})

async function pulled(site: TestSite): Promise<PushedImage> {
  const image = await site.push({
    files: {
      '/srv/data/file': 'x',
      '/etc/passwd': 'root:x:0:0::/:/bin/sh\nwww:x:33:34::/:/bin/sh\n',
      '/etc/group': 'root:x:0:\nwww-data:x:35:\n',
    },
    links: { '/current': '/srv/data/file', '/work': '/srv/data' },
    owners: { '/srv/data/file': { uid: 4711, gid: 4712 } },
    cmd: ['id', '-u'],
  })
  await site.run({ do: 'pull-image', reference: image.reference, digest: image.digest })
  return image
}

forEachEngine('what an image has to have', engine => {
  const it = sideBySide()

  it('C10 C11 is there: numbers, names, paths and directories, also behind links', async () => {
    await using site = await testSite(engine)
    const image = await pulled(site)
    for (const needs of [
      { user: '1000:1000' },
      { user: 'www:www-data', directory: '/srv/data' },
      { user: 'www:7', directory: '/work' },
      { user: '/srv/data/file:/current' },
    ])
      await site.run(needing(image, needs))
    expect(await site.containers(), 'nothing is left behind').to.deep.equal([])
  })

  it('C10 C11 is missed before anything is made', async () => {
    await using site = await testSite(engine)
    const image = await pulled(site)
    for (const [needs, said] of [
      [{ user: 'web:0' }, 'has no user "web" in its /etc/passwd'],
      [{ user: '0:www' }, 'has no group "www" in its /etc/group'],
      [{ user: '/srv/none:0' }, 'has no /srv/none, whose owner is meant'],
      [{ directory: '/srv/none' }, 'has no working directory /srv/none'],
      [{ directory: '/current' }, 'has no directory at /current, but a file'],
    ] as const) {
      const { code, message } = await site.fails(needing(image, needs))
      expect([code, message]).to.deep.equal([
        'image-lacking',
        `local: shop/web/main: ${image.reference} ${said}`,
      ])
    }
    expect(await site.containers()).to.deep.equal([])
  })

  const sought = (name: string, mounted: readonly string[] = [], paths: readonly string[] = [name]) => ({
    program: { name, paths, mounted },
  })

  async function withPrograms(site: TestSite): Promise<PushedImage> {
    const image = await site.push({
      files: { '/opt/v1/bin/main': '#!/bin/sh\n', '/data/current/sample': 'x' },
      links: {
        '/opt/current': 'v1',
        '/main': '/opt/current/bin/main',
        '/up': 'opt/../opt/v1/bin/../bin/main',
        '/lost': '/nowhere/main',
        '/from-data': '/data/current/main',
        '/data-bin': '/data/current',
        '/round': '/round',
        '/of-process': '/proc/self/exe',
      },
    })
    await site.run({ do: 'pull-image', reference: image.reference, digest: image.digest })
    return image
  }

  it('C10 is a program that it has, also behind links, or of which nobody can know', async () => {
    await using site = await testSite(engine)
    const image = await withPrograms(site)
    for (const needs of [
      sought('/bin/sh'),
      sought('/opt/v1/bin/main'),
      sought('/opt/current/bin/main'),
      sought('/main'),
      sought('/up'),
      sought('main', [], ['/bin/main', '/opt/current/bin/main']),
      sought('/from-data', ['/data']),
      sought('/data-bin/main', ['/data/current']),
      sought('/opt/current/bin/other', ['/opt/v1']),
      sought('/lost'),
      sought('/round'),
      sought('/of-process'),
    ])
      await site.run(needing(image, needs))
    expect(await site.containers(), 'nothing is left behind').to.deep.equal([])
  })

  it('C10 is no program that it lacks', async () => {
    await using site = await testSite(engine)
    const image = await withPrograms(site)
    for (const [needs, said] of [
      [sought('/bin/mian'), 'has no program /bin/mian'],
      [sought('/opt/current/bin/other', ['/data']), 'has no program /opt/current/bin/other'],
      [sought('/opt/v1/bin'), 'has a directory at /opt/v1/bin, and no program'],
      [sought('mian', [], ['/opt/v1/bin/mian', '/bin/mian']), 'has no program mian in /opt/v1/bin:/bin'],
    ] as const) {
      const { code, message } = await site.fails(needing(image, needs))
      expect([code, message]).to.deep.equal([
        'image-lacking',
        `local: shop/web/main: ${image.reference} ${said}`,
      ])
    }
  })

  it('C10 runs as the owner of a path and its group, without the image being run for it', async () => {
    await using site = await testSite(engine)
    const image = await pulled(site)
    const { container } = await site.create(image, { user: '/srv/data/file:/current' })
    const { Config } = await site.ask(`/containers/${container}/json`)
    expect(Object(Config).User).to.equal('4711:4712')
    const mixed = await site.create(image, { user: 'www:/current' }, { suffix: '-2' })
    const { Config: other } = await site.ask(`/containers/${mixed.container}/json`)
    expect(Object(other).User).to.equal('www:4712')
  })

  it('C10 is not created where the path is not there', async () => {
    await using site = await testSite(engine)
    const image = await pulled(site)
    const step = await site.create(image, {}, { suffix: '-1' })
    const failure = await site.fails({
      ...step,
      container: `${step.container}-2`,
      spec: { ...step.spec, user: '/srv/none:0' },
    })
    expect(failure.code).to.equal('image-lacking')
  })
})
