import { expect } from 'chai'
import { onceForSites } from '../../../../lib/text/sites/once-for-sites.ts'

const told = (all: readonly { readonly site: string; readonly message: string }[]) =>
  onceForSites(all).map(({ message }) => message)

describe('what is said of several sites', () => {
  it('G13 D17 is told once if it reads the same, whenever it began, with the names of the sites', () => {
    const rival = (site: string, who: string, at: string) => ({
      site,
      message: `${site}: another tallyman runs prod, ${who} since 2026-03-01T11:00:0${at}.000Z; this one only observes`,
    })
    expect(
      told([rival('a', 'pid 1 on x', '1'), rival('b', 'pid 2 on y', '1'), rival('c', 'pid 1 on x', '2')]),
    ).to.deep.equal([
      'a, c: another tallyman runs prod, pid 1 on x since 2026-03-01T11:00:01.000Z; this one only observes',
      'b: another tallyman runs prod, pid 2 on y since 2026-03-01T11:00:01.000Z; this one only observes',
    ])
    const here = { message: 'another tallyman runs prod here; this one only observes' }
    expect(
      told([
        { site: 'a', ...here },
        { site: 'b', ...here },
      ]),
    ).to.deep.equal([here.message])
    expect(told([])).to.deep.equal([])
  })
})
