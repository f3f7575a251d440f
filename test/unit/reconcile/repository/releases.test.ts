import { expect } from 'chai'
import { Failure } from '../../../../lib/errors.ts'
import { applicationAt } from '../../../../lib/reconcile/repository/application-at.ts'
import { desiredState } from '../../../../lib/reconcile/repository/desired.ts'
import type { World } from '../../../../lib/reconcile/world.ts'
import type { Application } from '../../../../lib/state/application/application.ts'
import { pinnedImages } from '../../../../lib/state/image/version.ts'
import { manifestOf, memoryWorlds } from '../../../support/memory-daemon.ts'
import { type Files, snapshotOf } from '../../../support/snapshot.ts'

const { signal } = new AbortController()
const hex = (digit: string, length: number) => digit.repeat(length)

/** The applications of an environment by name and tag. */
const tags = (services: Readonly<Record<string, string>>): Files => manifestOf('prod', services)

/** A specification of `web` with a version of its own. */
function web(version: string, tag: string, mode = 'plain'): Files {
  return {
    'environments/prod/manifest.json': JSON.stringify({
      services: [{ name: 'web', containers: [{ dockerName: 'registry.example.com/web', dockerTag: tag }] }],
    }),
    'applications/web.yaml': `
name: web
version: "${version}"
services:
  - name: web
    containers:
      - name: web
        image: registry.example.com/web
        env: {MODE: ${mode}}
`,
  }
}

/**
 * A repository with this history, the commits called by their digits, whose commits are looked at one after the other.
 * A tag `4` has the digest of fours, unless the registry says otherwise.
 */
function repository(history: Readonly<Record<string, Files>>) {
  const [first] = memoryWorlds({ files: tags({}) }).worlds
  if (first === undefined) throw new Error('there is one')
  const registry = { answers: true, moved: new Map<string, string>() }
  const gone = new Set<string>()
  let newest = ''
  let nowMs = 0
  let steadyMs = 0
  const world: World = Object.assign(first, {
    nowMs: () => nowMs,
    steadyMs: () => steadyMs,
    source: {
      ...first.source,
      lookUp: async () => newest,
      async snapshot(commit: string) {
        const digit = commit[0] ?? ''
        const files = history[digit]
        if (files === undefined || gone.has(digit)) throw new Failure('commit-unreachable', `has no ${digit}`)
        return snapshotOf(files, { commit })
      },
    },
  })
  for (const engine of first.engines)
    Object.assign(engine, {
      async distribution(reference: string) {
        const tag = reference.at(-1) ?? ''
        if (!registry.answers) throw new Failure('registry-unreachable', 'no answer')
        return {
          digest: `sha256:${hex(registry.moved.get(tag) ?? tag, 64)}`,
          mediaType: 'application/vnd.oci.image.manifest.v1+json',
        }
      },
    })
  const look = async (digit: string) => {
    newest = hex(digit, 40)
    nowMs += 1000
    const { desired } = await desiredState(world, { maxAgeMs: 0, lastGood: true }, signal)
    return desired
  }
  return {
    world,
    registry,
    gone,
    passTime(ms: number) {
      steadyMs += ms
    },
    look,
    async lookAll() {
      for (const digit of Object.keys(history)) await look(digit)
    },
    kept: (application: string) =>
      world.journal
        .releases('prod', application)
        .map(({ version, commit, atMs }) => `${version} ${commit[0]} ${atMs / 1000}s`),
  }
}

const imagesIn = (application: Application) =>
  pinnedImages(application).map(({ reference, digest }) => `${reference}@${digest.slice(0, 8)}`)

describe('the versions that commits bring', () => {
  it('A6 X19 are kept by tag or specification, when another one than before is wanted', async () => {
    const { lookAll, kept } = repository({
      1: tags({ web: '1', blog: '7' }),
      2: tags({ web: '2', blog: '7' }),
      3: web('2026.1', '3'),
    })
    await lookAll()
    expect(kept('web')).to.deep.equal(['2026.1 3 3s', '2 2 2s', '1 1 1s'])
    expect(kept('blog')).to.deep.equal(['7 1 1s'])
  })

  it('A6 A11 follow a change without a new version, without a word', async () => {
    const { look, kept } = repository({ 1: web('1.0', '1'), 2: web('1.0', '1', 'debug') })
    await look('1')
    expect((await look('2')).warnings).to.deep.equal([])
    expect(kept('web')).to.deep.equal(['1.0 2 1s'])
  })

  it('A6 are the newest content where one version is there twice, and the commit that has it says so', async () => {
    const history = { 1: web('1.0', '1'), 2: web('1.0', '2'), 3: { ...web('1.0', '2'), 'more.md': '' } }
    const { look, kept } = repository(history)
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

  it('A6 are both kept once what has other images has a version of its own', async () => {
    const { look, kept } = repository({ 1: web('1.0', '1'), 2: web('1.1', '2') })
    await look('1')
    expect((await look('2')).warnings).to.deep.equal([])
    expect(kept('web')).to.deep.equal(['1.1 2 2s', '1.0 1 1s'])
  })

  it('A6 X8 are newest again after a revert, and are not there twice for it', async () => {
    const { lookAll, kept } = repository({
      1: tags({ web: '1' }),
      2: tags({ web: '2' }),
      3: tags({ web: '1' }),
    })
    await lookAll()
    expect(kept('web')).to.deep.equal(['1 3 3s', '2 2 2s'])
  })

  it('A6 D5 are kept only once every image has its digest', async () => {
    const { look, kept, registry } = repository({ 1: tags({ web: '1' }) })
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
    const { world, look, lookAll, registry } = repository(history)
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
    const { world, look } = repository(history)
    const desired = await look('2')
    const found = await applicationAt(world, desired, 'web', '2.0', signal)
    expect(found).to.deep.equal({ application: desired.applications[0] })
  })

  it('A10 is not to be had where no commit brought that version, and the kept ones are named', async () => {
    const { world, look, lookAll } = repository(history)
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
    const { world, look } = repository(history)
    const asked = async (digit: string) => applicationAt(world, await look(digit), 'web', '2.0', signal)
    expect(await asked('1')).to.have.nested.property('problem.code', 'version-missing')
    expect(await asked('2')).to.have.nested.property('application.version', '2.0')
  })

  it('G19 says why it is not to be had where its commit cannot be read, until it can be', async () => {
    const { world, look, gone, passTime } = repository(history)
    const desired = await look('2')
    const { journal } = world
    journal.keepRelease({
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
