import { expect } from 'chai'
import type { Change } from '../../../../lib/plan/change/change.ts'
import { volumesGone } from '../../../../lib/plan/warning/volumes-gone.ts'
import { change } from '../../../support/builders/builders.ts'
import { repair } from '../../../support/builders/changes.ts'

/** They make the volume of `db`. */
const prepare = [{ do: 'create-volume', volume: { name: 'prod.db.data', application: 'db' } }] as const
const mended = repair({ action: 'create', prepare })

/** What is said of a change. */
function said(made: Change, volumesKept?: string): readonly string[] {
  return volumesGone([made], volumesKept === undefined ? {} : { volumesKept }).map(({ message }) => message)
}

describe('a persistent volume that is to be made', () => {
  it('D3 D9 is gone where what had it is repaired', () => {
    expect(said(mended)).to.deep.equal([
      'local: volume prod.db.data of db is gone, and is made anew without the files that it had',
    ])
  })

  it('D3 may be gone where something ran, nothing is left of it, and it gets another specification', () => {
    expect(said(change({ action: 'create', prepare }))).to.deep.equal([
      'local: volume prod.db.data of db is not there, and is made empty: if there was one, its files are gone',
    ])
  })

  it('D3 is new where something is installed for the first time, or what runs gets one', () => {
    expect(said(change({ cause: 'missing', action: 'create', prepare }))).to.deep.equal([])
    expect(said(change({ prepare }))).to.deep.equal([])
  })

  it('D3 is not mentioned where nothing is made, or nobody may see which volumes there are', () => {
    const held = { code: 'suspended', reason: 'stocktaking' } as const
    expect(said({ ...mended, held })).to.deep.equal([])
    expect(said(mended, 'refused')).to.deep.equal([])
  })
})
