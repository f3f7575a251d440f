import { expect } from 'chai'
import { applicationAt } from '../../../../../lib/reconcile/repository/version/application-at.ts'
import type { Application } from '../../../../../lib/state/application/application.ts'
import { pinnedImages } from '../../../../../lib/state/image/version.ts'
import { commitHistory, hex, tags, web } from '../../../../support/git/commit-history.ts'

const { signal } = new AbortController()

const imagesIn = (application: Application) =>
  pinnedImages(application).map(({ reference, digest }) => `${reference}@${digest.slice(0, 8)}`)

/** The version 1.0 of `web` with so many instances, and with a hook and a service beside them. */
const scaled = (tag: string, replicas: number) => {
  const files = web('1.0', tag)
  const service = '  - name: web\n'
  const hook = `    strategy: {type: RollingUpdate, rollingUpdate: {pre: {execNewPod: {command: [x], containerName: web}}}}\n`
  const beside = '  - {name: beside, containers: [{name: beside, image: registry.example.com/beside:1}]}\n'
  const text = String(files['applications/web.yaml'])
  return {
    ...files,
    'applications/web.yaml': `${text.replace(service, `${service}    replicas: ${replicas}\n${hook}`)}${beside}`,
  }
}

describe('the versions that commits bring', () => {
  it('A6 X19 are kept by tag or specification, when another one than before is wanted', async () => {
    const { lookAll, kept } = commitHistory({
      1: tags({ web: '1', blog: '7' }),
      2: tags({ web: '2', blog: '7' }),
      3: web('2026.1', '3'),
    })
    await lookAll()
    expect(kept('web')).to.deep.equal(['2026.1 3 3s', '2 2 2s', '1 1 1s'])
    expect(kept('blog')).to.deep.equal(['7 1 1s'])
  })

  it('A6 A11 follow a change without a new version, without a word', async () => {
    const { look, kept } = commitHistory({ 1: web('1.0', '1'), 2: web('1.0', '1', 'debug') })
    await look('1')
    expect((await look('2')).warnings).to.deep.equal([])
    expect(kept('web')).to.deep.equal(['1.0 2 1s'])
  })

  it('A6 are the newest content where one version is there twice, and the commit that has it says so', async () => {
    const history = { 1: web('1.0', '1'), 2: web('1.0', '2'), 3: { ...web('1.0', '2'), 'more.md': '' } }
    const { look, kept } = commitHistory(history)
    await look('1')
    const warning = {
      code: 'version-twice',
      message:
        'web: version 1.0 is there twice with different images: commit 111111111111 had others, and it can no longer be gone back to',
    }
    expect((await look('2')).warnings).to.deep.equal([warning])
    expect((await look('2')).warnings).to.deep.equal([warning])
    expect((await look('3')).warnings).to.deep.equal([])
    expect(kept('web')).to.deep.equal(['1.0 2 1s'])
  })

  for (const [what, history, warned] of [
    ['scaled to 0 and back', { 1: scaled('1', 2), 2: scaled('1', 0), 3: scaled('1', 1) }, []],
    ['scaled up that had none at first', { 1: scaled('1', 0), 2: scaled('1', 1) }, []],
    ['changed with none', { 1: scaled('1', 1), 2: scaled('2', 0), 3: scaled('2', 1) }, ['2']],
    ['changed on the way up', { 1: scaled('1', 1), 2: scaled('1', 0), 3: scaled('2', 1) }, ['3']],
  ] as const)
    it(`A6 have the same images, and no warning, unless these changed: ${what}`, async () => {
      const { look } = commitHistory(history)
      const commits: string[] = []
      for (const commit of Object.keys(history)) {
        const { warnings, blocked } = await look(commit)
        expect(blocked).to.deep.equal([])
        if (warnings.some(({ code }) => code === 'version-twice')) commits.push(commit)
      }
      expect(commits).to.deep.equal(warned)
    })

  it('A6 are not there twice in one commit, whose images a registry told only later', async () => {
    const { world, look } = commitHistory({ 1: web('1.0', '1') })
    world.journal.keepVersion({
      ...{ environment: 'prod', application: 'web', version: '1.0', commit: hex('1', 40) },
      ...{ mark: 'other', images: [], atMs: 0 },
    })
    expect((await look('1')).warnings).to.deep.equal([])
  })

  it('A6 are both kept once what has other images has a version of its own', async () => {
    const { look, kept } = commitHistory({ 1: web('1.0', '1'), 2: web('1.1', '2') })
    await look('1')
    expect((await look('2')).warnings).to.deep.equal([])
    expect(kept('web')).to.deep.equal(['1.1 2 2s', '1.0 1 1s'])
  })

  it('A6 X8 are newest again after a revert, and are not there twice for it', async () => {
    const { lookAll, kept } = commitHistory({
      1: tags({ web: '1' }),
      2: tags({ web: '2' }),
      3: tags({ web: '1' }),
    })
    await lookAll()
    expect(kept('web')).to.deep.equal(['1 3 3s', '2 2 2s'])
  })

  it('A6 D5 are kept only once every image has its digest', async () => {
    const { look, kept, registry } = commitHistory({ 1: tags({ web: '1' }) })
    registry.answers = false
    await look('1')
    expect(kept('web')).to.deep.equal([])
    registry.answers = true
    await look('1')
    expect(kept('web')).to.deep.equal(['1 1 2s'])
  })
})

describe('an application as it was in a kept version', () => {
  const history = { 1: web('1.0', '1', 'old'), 2: web('2.0', '2'), 3: tags({}) }

  it('A6 A12 X8 is what its commit says, with the digests of that time, while no registry answers', async () => {
    const { world, look, lookAll, registry } = commitHistory(history)
    await lookAll()
    registry.answers = false
    registry.moved.set('1', '9')
    const found = await applicationAt(world, await look('3'), 'web', '1.0', signal)
    if ('problem' in found) throw new Error(found.problem.message)
    const { application } = found
    expect([application.version, application.commit]).to.deep.equal(['1.0', hex('1', 40)])
    expect(imagesIn(application)).to.deep.equal(['registry.example.com/web:1@sha256:1'])
    expect(application.services[0]?.instances[0]?.containers[0].env).to.deep.equal({ MODE: 'old' })
  })

  it('A12 is the one of the newest commit where that is the version', async () => {
    const { world, look } = commitHistory(history)
    const desired = await look('2')
    const found = await applicationAt(world, desired, 'web', '2.0', signal)
    expect(found).to.deep.equal({ application: desired.applications[0] })
  })

  it('A10 is not to be had where no commit brought that version, and the kept ones are named', async () => {
    const { world, look, lookAll } = commitHistory(history)
    await lookAll()
    const asked = async (name: string) => applicationAt(world, await look('3'), name, '3.0', signal)
    expect(await asked('web')).to.deep.equal({
      problem: {
        code: 'version-missing',
        message: 'web: there is no version 3.0; these are kept: 2.0, 1.0',
      },
    })
    expect(await asked('shop')).to.deep.equal({
      problem: { code: 'version-missing', message: 'shop: there is no version 3.0; none is kept yet' },
    })
  })

  it('A10 is to be had as soon as a commit brings that version', async () => {
    const { world, look } = commitHistory(history)
    const asked = async (digit: string) => applicationAt(world, await look(digit), 'web', '2.0', signal)
    expect(await asked('1')).to.have.nested.property('problem.code', 'version-missing')
    expect(await asked('2')).to.have.nested.property('application.version', '2.0')
  })

  it('G19 says why it is not to be had where its commit cannot be read, until it can be', async () => {
    const { world, look, gone, passTime } = commitHistory(history)
    const desired = await look('2')
    const { journal } = world
    journal.keepVersion({
      ...{ environment: 'prod', application: 'web', version: '1.0', commit: hex('1', 40) },
      ...{ mark: '', images: [], atMs: 0 },
    })
    gone.add('1')
    const asked = () => applicationAt(world, desired, 'web', '1.0', signal)
    expect(await asked()).to.deep.equal({
      problem: {
        code: 'version-unreadable',
        message: 'web: version 1.0 of commit 111111111111 cannot be read: has no 1',
      },
    })
    gone.delete('1')
    passTime(5_000)
    expect(await asked()).to.have.nested.property('application.version', '1.0')
  })
})
