import { expect } from 'chai'
import {
  createFilesWarning,
  extentOf,
  mostIn,
  spareFiles,
  tooFewFiles,
  waitingConnections,
} from '../../../lib/daemon/open-files.ts'
import { asSite } from '../../support/builders/sites.ts'

/** One environment on all sites. */
const one = (sites: number) => ({ environments: 1, sites, loops: sites })

describe('the files that a daemon may open', () => {
  it('G17 are too few for many sites, which is said', () => {
    expect(tooFewFiles(one(10_000), 20_000)).to.equal(
      '10,000 sites need about 20,712 open files, and this process may open 20,000: raise LimitNOFILE of its unit, --ulimit nofile of its container, or ulimit -n',
    )
    expect(tooFewFiles(one(100), 911)).to.contain(
      '100 sites need about 912 open files, and this process may open 911',
    )
  })

  it('G17 are enough for few sites, and where there is no limit', () => {
    expect(tooFewFiles(one(1), 218)).to.equal(undefined)
    expect(tooFewFiles(one(100), 1_024)).to.equal(undefined)
    expect(tooFewFiles(one(10_000), 20_712)).to.equal(undefined)
    expect(tooFewFiles(one(10_000), undefined)).to.equal(undefined)
  })

  it('G17 are needed by each environment on each of its sites', () => {
    const three = { environments: 3, sites: 10_000, loops: 30_000 }
    expect(tooFewFiles(three, 60_000)).to.contain(
      '3 environments on 10,000 sites need about 60,712 open files, and this process may open 60,000',
    )
    expect(spareFiles(three, 65_536)).to.equal(5_336)
  })

  it('G17 are needed by as many loops as environments and sites are configured for each other', () => {
    const sites = [
      asSite({ name: 'oslo' }),
      asSite({ name: 'bergen', environments: ['prod'] }),
      asSite({ name: 'lab', environments: ['teams/environments/staging', 'dev'] }),
    ]
    const count = (...environments: readonly string[]) => extentOf({ environments, sites })
    expect(count('prod', 'environments/staging')).to.deep.equal({ environments: 2, sites: 3, loops: 4 })
    expect(count('prod', 'staging', 'dev')).to.deep.equal({ environments: 3, sites: 3, loops: 6 })
    expect(count(), 'the only one of the repository').to.deep.equal({ environments: 1, sites: 3, loops: 3 })
  })

  it('G17 are said to be too few also once more sites are configured, and not twice for the same', () => {
    const said: string[] = []
    const tell = createFilesWarning(911, message => said.push(message.slice(0, 9)))
    for (const sites of [1, 100, 100, 200, 1, 100]) tell(one(sites))
    expect(said).to.deep.equal(['100 sites', '200 sites', '100 sites'])
  })

  it('G17 leave connections as many as there are besides, and never fewer than the calls of the sites need', () => {
    expect(spareFiles(one(9_500), 20_000)).to.equal(800)
    expect(spareFiles(one(10_000), 20_000)).to.equal(512)
    expect(spareFiles(one(1), 100)).to.equal(16)
    expect(spareFiles(one(1), undefined)).to.equal(Number.POSITIVE_INFINITY)
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
