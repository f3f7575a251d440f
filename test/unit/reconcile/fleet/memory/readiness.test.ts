import { expect } from 'chai'
import { createFleetNews } from '../../../../../lib/reconcile/fleet/memory/fleet-news.ts'
import { createReadiness } from '../../../../../lib/reconcile/fleet/memory/readiness.ts'

describe('which sites can go on', () => {
  it('A34 G24 whether a site can go on, answers or is written by others is news only if that changes', () => {
    const news = createFleetNews()
    const readiness = createReadiness(news)
    const told = [
      () => readiness.set('shop', 'a', true),
      () => readiness.set('shop', 'a', false),
      () => readiness.set('shop', 'a', false),
      () => readiness.set('shop', 'a', true),
      () => readiness.setSilent('a', false),
      () => readiness.setSilent('a', true),
      () => readiness.setTheirs('a', true),
      () => readiness.setTheirs('a', true),
    ].map(notes => {
      notes()
      return news.take()
    })
    const [no, later] = [undefined, 'later']
    expect(told).to.deep.equal([no, later, no, later, no, later, later, no])
  })

  it('A34 A60 what is found out of a site takes the place of its closed windows, and is news only where it can go on', () => {
    const news = createFleetNews()
    const readiness = createReadiness(news)
    const afterwards = (isReady: boolean) => {
      readiness.setClosed('shop', 'a', true)
      const before = [readiness.isReady('shop', 'a'), readiness.closed('shop'), news.take()]
      readiness.set('shop', 'a', isReady)
      return [...before, readiness.isReady('shop', 'a'), readiness.closed('shop'), news.take()]
    }
    expect(afterwards(true)).to.deep.equal([false, ['a'], undefined, true, [], 'later'])
    expect(afterwards(false)).to.deep.equal([false, ['a'], undefined, false, [], undefined])
  })
})
