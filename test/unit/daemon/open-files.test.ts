import { expect } from 'chai'
import { mostIn, spareFiles, tooFewFiles, waitingConnections } from '../../../lib/daemon/open-files.ts'

describe('the files that a daemon may open', () => {
  it('G17 are too few for many sites, which is said', () => {
    expect(tooFewFiles(10_000, 20_000)).to.equal(
      '10,000 sites need about 20,712 open files, and this process may open 20,000: raise LimitNOFILE of its unit, --ulimit nofile of its container, or ulimit -n',
    )
    expect(tooFewFiles(100, 911)).to.contain(
      '100 sites need about 912 open files, and this process may open 911',
    )
  })

  it('G17 are enough for few sites, and where there is no limit', () => {
    expect(tooFewFiles(1, 218)).to.equal(undefined)
    expect(tooFewFiles(100, 1_024)).to.equal(undefined)
    expect(tooFewFiles(10_000, 20_712)).to.equal(undefined)
    expect(tooFewFiles(10_000, undefined)).to.equal(undefined)
  })

  it('G17 leave connections as many as there are besides, and never fewer than the calls of the sites need', () => {
    expect(spareFiles(9_500, 20_000)).to.equal(800)
    expect(spareFiles(10_000, 20_000)).to.equal(512)
    expect(spareFiles(1, 100)).to.equal(16)
    expect(spareFiles(1, undefined)).to.equal(Number.POSITIVE_INFINITY)
  })

  it('G17 are not taken by two waiting connections for each of many sites', () => {
    expect([1, 128, 1_000].map(waitingConnections)).to.deep.equal([129, 256, 1_128])
  })

  it('G17 are read as the kernel tells them', () => {
    const limits = (soft: string) =>
      `Limit                     Soft Limit           Hard Limit           Units     \nMax processes             96319                96319                processes \nMax open files            ${soft}            1048576              files     \n`
    expect(mostIn(limits('1024   '))).to.equal(1_024)
    expect(mostIn(limits('unlimited'))).to.equal(undefined)
  })
})
