import { expect } from 'chai'
import { createJoin, desiredIn } from '../../../../lib/reconcile/loop/loop-state.ts'
import type { PassResult } from '../../../../lib/reconcile/site/result/pass-result.ts'
import { desired } from '../../../support/builders/builders.ts'

const state = desired()
const result = (parts: Partial<PassResult>): PassResult => ({
  ...{ outcome: 'in-sync', sync: 'Synced', errors: [], waiting: [], results: [], status: [] },
  ...parts,
})
const unreachable = result({ site: 'a', outcome: 'unreachable' })
const compared = result({ site: 'b', desired: state })

describe('what the loops of many sites found', () => {
  it('G17 is put together once, and kept no longer than the results it was made of', () => {
    const join = createJoin()
    const before = join.of([unreachable, compared])
    expect(join.of([unreachable, compared])).to.equal(before)
    join.forget()
    const after = join.of([unreachable, compared])
    expect(after === before).to.equal(false)
    expect(after).to.deep.equal(before)
  })

  it('G13 says what was compared last: by any site, unless the repository could not be read since', () => {
    const looks = [unreachable, compared].map(last => ({ last, look: 1 }))
    const unread = { result: result({ outcome: 'failed' }), endedMs: 1 }
    expect(desiredIn(looks, { unread: undefined })).to.equal(state)
    expect(desiredIn(looks.slice(0, 1), { unread: undefined })).to.equal(undefined)
    expect(desiredIn(looks, { unread })).to.equal(undefined)
  })
})
