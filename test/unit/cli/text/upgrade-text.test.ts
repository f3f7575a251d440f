import { expect } from 'chai'
import { backText, deletedText } from '../../../../lib/cli/text/upgrade-text.ts'

const on = (site: string, version: string, wanted?: string) => ({
  ...{ site, application: 'shop', version },
  ...(wanted === undefined ? {} : { wanted }),
})

describe('what delete-upgrade says', () => {
  it('A66 G13 says that what runs stays, and how to take it back', () => {
    const deleted = [on('a', '2.0'), on('b', '2.0')]
    expect(deletedText(deleted)).to.equal(
      'Deleted shop 2.0 on 2 sites: a, b: what runs there stays until a newer version comes.',
    )
    expect(backText(deleted, { environment: 'prod' })).to.match(
      /: tallyman force-upgrade shop 2\.0 --environment prod$/,
    )
    expect(backText(deleted, {})).to.match(/: tallyman force-upgrade shop 2\.0$/)
    expect(backText(deleted, { sites: ['b', 'a', 'c'] })).to.match(
      /: tallyman force-upgrade shop 2\.0 --site a --site b$/,
    )
  })

  it('A66 G13 says where a newer version is wanted already, which needs another way then', () => {
    expect(deletedText([on('a', '2.0'), on('b', '2.0', '3.1')])).to.equal(
      'Deleted shop 2.0 on 2 sites: a, b: it is not installed there. 3.1, which is wanted on b, comes only if an upgrade path leads to it by another way.',
    )
  })

  it('A66 A42 offers no way back where no upgrade path leads to what was deleted', () => {
    const far = { ...on('a', '2.0'), hasNoPath: true as const }
    expect(backText([far], {})).to.equal('It cannot be installed after all: no upgrade path leads to it.')
    expect(backText([far, on('b', '2.0')], { sites: ['a', 'b'] })).to.match(/ shop 2\.0 --site b$/)
  })

  it('A66 A62 names no version to take back where the sites are to have different ones', () => {
    expect(backText([on('a', '2.0'), on('b', '3.0')], {})).to.match(/: tallyman force-upgrade shop$/)
  })
})
