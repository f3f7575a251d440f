import { expect } from 'chai'
import { mostIn, spareFiles, tooFewFiles } from '../../../lib/daemon/open-files.ts'

describe('the files that a daemon may open', () => {
  it('G17 are too few for many sites, which is said', () => {
    expect(tooFewFiles(10_000, 20_000, true)).to.equal(
      '10,000 sites need about 30,712 open files, and this process may open 20,000: raise LimitNOFILE of its unit, --ulimit nofile of its container, or ulimit -n',
    )
    expect(tooFewFiles(100, 911, false)).to.contain(
      '100 sites need about 912 open files, and this process may open 911',
    )
  })

  it('G17 are one less for each site where no file is locked, which only root does', () => {
    expect(tooFewFiles(9_500, 20_000, true)).to.contain('9,500 sites need about 29,212 open files')
    expect(tooFewFiles(9_500, 20_000, false)).to.equal(undefined)
  })

  it('G17 are enough for few sites, and where there is no limit', () => {
    expect(tooFewFiles(1, 219, true)).to.equal(undefined)
    expect(tooFewFiles(100, 1_024, true)).to.equal(undefined)
    expect(tooFewFiles(10_000, 30_712, true)).to.equal(undefined)
    expect(tooFewFiles(10_000, undefined, true)).to.equal(undefined)
  })

  it('G17 leave connections as many as there are besides, and never fewer than the calls of the sites need', () => {
    expect(spareFiles(9_500, 20_000, false)).to.equal(800)
    expect(spareFiles(9_500, 20_000, true)).to.equal(512)
    expect(spareFiles(1, 100, true)).to.equal(16)
    expect(spareFiles(1, undefined, true)).to.equal(Number.POSITIVE_INFINITY)
  })

  it('G17 are read as the kernel tells them', () => {
    const limits = (soft: string) =>
      `Limit                     Soft Limit           Hard Limit           Units     \nMax processes             96319                96319                processes \nMax open files            ${soft}            1048576              files     \n`
    expect(mostIn(limits('1024   '))).to.equal(1_024)
    expect(mostIn(limits('unlimited'))).to.equal(undefined)
  })
})
