import { expect } from 'chai'
import { createWaitingOnSites } from '../../../../../lib/reconcile/fleet/memory/waiting-on-sites.ts'

describe('what waits on sites because of their deployments', () => {
  it('A33 G13 a change that a pause holds back waits since it was found first, and anew once none did', () => {
    const waiting = createWaitingOnSites()
    const since = (isHeldBack: boolean, atMs: number) => {
      waiting.setHeldBack('shop', 'a', isHeldBack, atMs)
      return waiting.heldBackMs('shop', 'a')
    }
    expect([since(true, 1), since(true, 2), since(false, 3), since(true, 4)]).to.deep.equal([
      1,
      1,
      undefined,
      4,
    ])
    expect([waiting.heldBackMs('shop', 'b'), waiting.heldBackMs('blog', 'a')]).to.deep.equal([
      undefined,
      undefined,
    ])
  })
})
