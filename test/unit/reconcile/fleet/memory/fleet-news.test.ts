import { expect } from 'chai'
import { createFleetNews } from '../../../../../lib/reconcile/fleet/memory/fleet-news.ts'
import { waitingFor } from './waiting-turn.ts'

describe('the news of deployments', () => {
  const waits = [
    { for: 'sites', note: 'noteReached', what: 'has reached the version' },
    { for: 'sites', note: 'noteUnready', what: 'cannot go on' },
    { for: 'look', note: 'noteLooked', what: 'was looked at once more' },
    { for: 'changing', note: 'noteLooked', what: 'was looked at after what was begun there before' },
  ] as const

  for (const { for: kind, note, what } of waits)
    it(`G24 a batch is looked at again when the last of its sites ${what}, and not for each of them`, () => {
      const news = createFleetNews()
      news.awaits([waitingFor({ for: kind, sites: ['a', 'b'], sinceMs: 0 })])
      const isNews = (site: string) => {
        news[note]('shop', site)
        return news.take()
      }
      expect([isNews('a'), isNews('a'), isNews('b')]).to.deep.equal([undefined, undefined, 'due'])
    })

  it('G24 a look at a site that no deployment waits for is no news', () => {
    const news = createFleetNews()
    news.awaits([waitingFor({ for: 'look', sites: ['a'], sinceMs: 0 })])
    news.noteLooked('shop', 'c')
    news.noteLooked('blog', 'a')
    expect(news.take()).to.equal(undefined)
  })

  it('G24 A33 a site that reaches the version of a run that has ended is news for later, unless there are others', () => {
    const news = createFleetNews()
    const failed = { kind: 'failed', atMs: 0, site: 'b', reason: 'it ended' } as const
    news.awaits([waitingFor({ for: 'correction', failed })])
    news.noteReached('shop', 'a')
    expect([news.take(), news.take()]).to.deep.equal(['later', undefined])
    news.note('due')
    news.noteReached('shop', 'a')
    expect(news.take()).to.equal('due')
  })
})
