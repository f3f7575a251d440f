import { expect } from 'chai'
import { Failure } from '../../../../../lib/errors.ts'
import { createCommits } from '../../../../../lib/reconcile/repository/commit/commits.ts'
import { applicationsBefore } from '../../../../../lib/reconcile/repository/version/applications-before.ts'
import { desired } from '../../../../support/builders/builders.ts'
import { manifestOf, memoryWorlds, silent } from '../../../../support/memory/memory-daemon.ts'

const { signal } = new AbortController()
const state = desired({ name: 'web', tag: '2' }, { name: 'other' })
const now = state.revision.commit
const [earlier, gone] = ['1'.repeat(40), '9'.repeat(40)]

/** The services of `local` as they were applied, with the commit where that is another; those in `stuck` alone. */
async function servicesBefore(
  applied: Readonly<Record<string, string>>,
  stuck: readonly string[] = Object.keys(applied),
  sideBySide = 1,
) {
  const [first] = memoryWorlds({ files: manifestOf('prod', { web: '1', other: '1' }) }).worlds
  if (first === undefined) throw new Error('there is one')
  const [read, said]: [string[], string[]] = [[], []]
  const source = {
    ...first.source,
    snapshot: async (commit: string, given: AbortSignal) => {
      read.push(commit)
      return first.source.snapshot(commit, given)
    },
  }
  const world = { ...first, source, log: { ...silent, warn: (words: string) => said.push(words) } }
  const targets = new Map(
    Object.entries(applied).map(([key, commit]) => [key, { target: 'target', commit, atMs: 0 }]),
  )
  const ask = () => applicationsBefore(world, state, 'local', new Set(stuck), targets, signal)
  await Promise.all(Array.from({ length: sideBySide }, ask))
  const found = await ask()
  return {
    read,
    said,
    services: found.flatMap(({ commit, services }) =>
      services.map(({ name, instances: [one] }) => {
        const tag = one?.containers[0].image.reference.split(':').at(-1)
        return `${name}:${tag}${commit === undefined ? '' : ` of ${commit[0]}`}`
      }),
    ),
  }
}

describe('what services were like when they were applied last', () => {
  it('D18 is read from the commit of that time, once', async () => {
    expect(await servicesBefore({ 'local/web/web': earlier, 'local/other/other': earlier })).to.deep.equal({
      read: [earlier],
      said: [],
      services: ['web:1 of 1', 'other:1 of 1'],
    })
  })

  it('G13 D9 is what is wanted now where that is the commit, without a look at the repository', async () => {
    expect(await servicesBefore({ 'local/web/web': now })).to.deep.equal({
      read: [],
      said: [],
      services: ['web:2'],
    })
  })

  it('D18 is asked of the services alone that cannot get what is wanted, on their own site', async () => {
    const applied = { 'local/web/web': now, 'local/other/other': now, 'store-1/web/web': gone }
    expect(await servicesBefore(applied, ['local/other/other', 'store-1/web/web'])).to.deep.equal({
      read: [],
      said: [],
      services: ['other:1'],
    })
  })

  it('G24 is one value for all sites that have the same of it, so that what follows from it is computed once', async () => {
    const [world] = memoryWorlds({ files: manifestOf('prod', { web: '1', other: '1' }) }).worlds
    if (world === undefined) throw new Error('there is one')
    const sites = ['store-0', 'store-1']
    const keys = sites.map(site => `${site}/web/web`)
    const targets = new Map(keys.map(key => [key, { target: 'target', commit: earlier, atMs: 0 }]))
    const found = await Promise.all(
      sites.map(site => applicationsBefore(world, state, site, new Set(keys), targets, signal)),
    )
    expect(found.flat().map(({ name }) => name)).to.deep.equal(['web', 'web'])
    expect(new Set(found.flat()).size).to.equal(1)
  })

  it('G19 leaves out what cannot be read any more, and says so', async () => {
    const { services, said } = await servicesBefore({ 'local/web/web': gone, 'local/other/other': now })
    expect(services).to.deep.equal(['other:1'])
    expect(said, 'once in two passes').to.deep.equal(['an earlier commit cannot be read any more'])
  })

  it('G19 says so again when the reason is another one, or when it was readable in between', () => {
    const commits = createCommits()
    const told = (reason: string) => commits.isNews(gone, reason, 0)
    expect([told('no answer'), told('no answer'), told('it is gone'), told('it is gone')]).to.deep.equal([
      true,
      false,
      true,
      false,
    ])
    commits.keepEarlier(gone, state, 0)
    expect(told('it is gone')).to.equal(true)
  })

  it('G16 D18 is read again after thirty seconds if something was lacking that may be there by now', () => {
    const commits = createCommits()
    const problem = { code: 'secret-missing', message: 'there is none' } as const
    commits.keepEarlier(earlier, state, 0)
    commits.keepEarlier(gone, { ...state, blocked: [{ application: 'web', problems: [problem] }] }, 1_000)
    const isKept = (commit: string, atMs: number) => commits.earlier(commit, atMs) !== undefined
    expect([isKept(gone, 30_999), isKept(gone, 31_000)]).to.deep.equal([true, false])
    expect(isKept(earlier, 3_600_000), 'nothing was lacking').to.equal(true)
  })

  it('G21 is read once for all sites that ask for it at the same time', async () => {
    const applied = { 'local/web/web': earlier }
    expect(await servicesBefore(applied, ['local/web/web'], 5)).to.deep.include({ read: [earlier] })
  })

  it('G21 is not asked for again within five seconds where it cannot be read', async () => {
    expect(await servicesBefore({ 'local/web/web': gone })).to.deep.include({ read: [gone] })
    const commits = createCommits()
    commits.isNews(gone, 'no answer', 1_000)
    expect([5_999, 6_000].map(atMs => commits.leftAlone(gone, atMs))).to.deep.equal(['no answer', undefined])
  })

  const reasons = {
    'the process ends': undefined,
    'something else is wanted by now': new Failure('superseded', 'something else is wanted by now'),
    'the request of a person takes too long': new DOMException('too late', 'TimeoutError'),
  }
  for (const [what, reason] of Object.entries(reasons))
    it(`G12 is read again by who still wants it when who read it for all is stopped, because ${what}`, async () => {
      const [world] = memoryWorlds({ files: manifestOf('prod', { web: '1' }) }).worlds
      if (world === undefined) throw new Error('there is one')
      const stopping = new AbortController()
      const reads: string[] = []
      const source = {
        ...world.source,
        snapshot: async (commit: string, given: AbortSignal) => {
          reads.push(given === stopping.signal ? 'stopped' : 'read')
          if (given === stopping.signal) stopping.abort(reason)
          given.throwIfAborted()
          return world.source.snapshot(commit, given)
        },
      }
      const targets = new Map([['local/web/web', { target: 'target', commit: earlier, atMs: 0 }]])
      const ask = (given: AbortSignal) =>
        applicationsBefore({ ...world, source }, state, 'local', new Set(['local/web/web']), targets, given)
      const [stopped, found] = await Promise.allSettled([ask(stopping.signal), ask(signal)])
      expect([stopped.status, found.status]).to.deep.equal(['rejected', 'fulfilled'])
      expect(reads).to.deep.equal(['stopped', 'read'])
    })
})
