import { expect } from 'chai'
import { Failure } from '../../../lib/errors.ts'
import type { Source } from '../../../lib/git/source.ts'
import { openJournal } from '../../../lib/journal/journal.ts'
import { round } from '../../../lib/reconcile/round.ts'
import { everyImage, manifestOf, memoryWorlds } from '../../support/memory/memory-daemon.ts'
import { memoryEngine } from '../../support/memory/memory-engine.ts'

const { signal } = new AbortController()
const [good, newest] = ['1'.repeat(40), '2'.repeat(40)]
const files = manifestOf('prod', { web: '1' })

/** The errors of a pass after a restart, with the newest commit as it is read, and then the last good one. */
async function errorsWith(newestFails: Failure, goodFails: Failure): Promise<readonly object[]> {
  const journal = openJournal(':memory:')
  const request = { trigger: 'start', until: 'apply', freshness: { maxAgeMs: 0, lastGood: true } } as const
  const [before] = memoryWorlds({ files, journal }).worlds
  const [after] = memoryWorlds({ files, journal }).worlds
  if (before === undefined || after === undefined) throw new Error('there is one')
  await round(before, request, signal)
  const source: Source = {
    ...after.source,
    lookUp: async () => newest,
    snapshot: async commit => Promise.reject(commit === good ? goodFails : newestFails),
  }
  const { errors } = await round({ ...after, source }, request, signal)
  return errors.map(({ code, message, retry }) => ({ code, message, retry }))
}

describe('a newest commit and a last good one that both cannot be used', () => {
  it('G13 D15 are both told, each with its own reason', async () => {
    const large = new Failure('repository-too-large', 'commit 2: is too large')
    const silent = new Failure('git-unreachable', 'git.example.com: no answer')
    expect(await errorsWith(large, silent)).to.deep.equal([
      { code: 'repository-too-large', message: 'commit 2: is too large', retry: 'never' },
      {
        code: 'git-unreachable',
        message: 'the last good commit, 111111111111, cannot be used either: git.example.com: no answer',
        retry: 'backoff',
      },
    ])
  })

  it('G13 have one reason that is told once, if it concerns them both', async () => {
    const failure = new Failure('repository-too-large', 'the repository is too large')
    expect(await errorsWith(failure, failure)).to.deep.equal([
      { code: 'repository-too-large', message: 'the repository is too large', retry: 'never' },
    ])
  })
})

describe('a newest commit that cannot be fetched for now', () => {
  it('D15 G17 leaves what serves looked after, as the last good one wants it', async () => {
    const journal = openJournal(':memory:')
    const request = { trigger: 'start', until: 'apply', freshness: { maxAgeMs: 0, lastGood: true } } as const
    const files = manifestOf('prod', { web: '1' }, { skipConfirmation: true })
    const [before] = memoryWorlds({ files, journal }).worlds
    const emptied = memoryEngine({ distribution: everyImage })
    const [after] = memoryWorlds({ files, journal, engines: [emptied] }).worlds
    if (before === undefined || after === undefined) throw new Error('there is one')
    await round(before, request, signal)
    const source: Source = {
      ...after.source,
      lookUp: async () => newest,
      snapshot: async commit => {
        if (commit === newest) throw new Failure('git-unreachable', 'the connection broke off')
        return after.source.snapshot(commit, signal)
      },
    }
    const { errors } = await round({ ...after, source }, request, signal)
    expect(errors.map(({ code }) => code)).to.deep.equal(['git-unreachable'])
    expect(emptied.done.map(step => step.split(' ')[0])).to.deep.equal([
      'pull-image',
      'create-container',
      'start-container',
      'await-healthy',
    ])
  })
})
