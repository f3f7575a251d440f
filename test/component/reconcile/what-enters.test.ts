import { expect } from 'chai'
import { keptVersionBefore } from '../../../lib/answers/version/way-back.ts'
import { createMemory } from '../../../lib/reconcile/memory.ts'
import { round } from '../../../lib/reconcile/round.ts'
import { versionList } from '../../../lib/reconcile/status/version-list.ts'
import { commitHistory, tags, web } from '../../support/git/commit-history.ts'

const { signal } = new AbortController()
const freshness = { maxAgeMs: 0, lastGood: true }

/** Versions 1.0 to 3.0 of `web` came one after the other. Then commits are looked at, called by their digits. */
async function scene() {
  const history = commitHistory({ 1: web('1.0', '1'), 2: web('2.0', '2'), 3: web('3.0', '3') })
  const { world, newest } = history
  const { journal } = world
  const look = async (commit: string, until: 'plan' | 'apply') => {
    newest(commit)
    const answer = { who: 'ann', via: 'flag' } as const
    return round(
      world,
      { trigger: 'command', until, freshness, ...(until === 'plan' ? {} : { answer }) },
      signal,
    )
  }
  for (const commit of ['1', '2', '3']) await look(commit, 'apply')
  const known = () => [
    journal.versionEntries('prod', 'web').map(({ version }) => version),
    journal.keptVersions('prod', 'web').map(({ version, commit }) => `${version} ${commit[0]}`),
    journal.lastGood('prod')?.commit[0],
    keptVersionBefore(journal, 'prod', 'web', '3.0')?.version,
  ]
  return { ...history, look, known }
}

const three = [['1.0', '2.0', '3.0'], ['3.0 3', '2.0 2', '1.0 1'], '3', '2.0']

describe('the versions that entered', () => {
  it('A6 A65 are those that somebody carries out: a plan of an earlier commit takes no version back', async () => {
    const { look, known } = await scene()
    expect(known()).to.deep.equal(three)
    expect((await look('1', 'plan')).outcome).to.equal('planned')
    expect(known()).to.deep.equal(three)
    await look('3', 'apply')
    expect(known()).to.deep.equal(three)
  })

  it('A6 A65 D17 nor does an apply of one beside the process that writes', async () => {
    const { look, known, world } = await scene()
    await world.claims.release()
    Object.assign(world, {
      memory: createMemory(),
      writer: { ...world.writer, claim: async () => ({ isOurs: false }) },
    })
    const { errors } = await look('1', 'apply')
    expect(errors.map(({ code }) => code)).to.deep.equal(['another-writer'])
    expect(known()).to.deep.equal(three)
  })

  it('A6 A65 are those of an apply, also where it was planned by the same process before', async () => {
    const { look, known } = await scene()
    for (const until of ['plan', 'apply'] as const) await look('2', until)
    expect(known()[0]).to.deep.equal(['1.0', '2.0', '3.0', '2.0'])
  })

  it('A6 G13 are not wanted any more once a commit does not name the application, and are again once one does', async () => {
    const history = commitHistory({ 1: tags({ web: '1', api: '1' }), 2: tags({ api: '1' }) })
    const wanted = async (commit: string) => {
      history.newest(commit)
      const answer = { who: 'ann', via: 'flag' } as const
      await round(history.world, { trigger: 'command', until: 'apply', freshness, answer }, signal)
      return ['web', 'api'].map(name => versionList(history.world.journal, 'prod', name).wanted)
    }
    expect(await wanted('1')).to.deep.equal(['1', '1'])
    expect(await wanted('2')).to.deep.equal([undefined, '1'])
    expect(await wanted('1')).to.deep.equal(['1', '1'])
  })
})
