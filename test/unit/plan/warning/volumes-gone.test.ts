import { expect } from 'chai'
import type { Change } from '../../../../lib/plan/change/change.ts'
import { volumesGone } from '../../../../lib/plan/warning/volumes-gone.ts'
import { change } from '../../../support/builders.ts'

const volume = { name: 'prod.db.data', application: 'db' }

/** What is said of a change that makes the volume of `db`. */
function said(parts: Partial<Change>, volumesKept?: string): readonly string[] {
  const made = change({ prepare: [{ do: 'create-volume', volume }], ...parts })
  return volumesGone([made], volumesKept === undefined ? {} : { volumesKept }).map(({ message }) => message)
}

describe('a persistent volume that is to be made', () => {
  it('D3 D9 is gone where what had it is repaired', () => {
    expect(said({ cause: 'drifted', action: 'create' })).to.deep.equal([
      'local: volume prod.db.data of db is gone, and is made anew without the files that it had',
    ])
  })

  it('D3 may be gone where something ran, nothing is left of it, and it gets another specification', () => {
    expect(said({ cause: 'diverged', action: 'create' })).to.deep.equal([
      'local: volume prod.db.data of db is not there, and is made empty: if there was one, its files are gone',
    ])
  })

  it('D3 is new where something is installed for the first time, or what runs gets one', () => {
    expect(said({ cause: 'missing', action: 'create' })).to.deep.equal([])
    expect(said({ cause: 'diverged', action: 'replace' })).to.deep.equal([])
  })

  it('D3 is not mentioned where nothing is made, or nobody may see which volumes there are', () => {
    const held = { code: 'suspended', reason: 'stocktaking' } as const
    expect(said({ cause: 'drifted', action: 'create', held })).to.deep.equal([])
    expect(said({ cause: 'drifted', action: 'create' }, 'refused')).to.deep.equal([])
  })
})
