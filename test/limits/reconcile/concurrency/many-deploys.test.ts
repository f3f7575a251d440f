import { expect } from 'chai'
import { createDeployLocks } from '../../../../lib/reconcile/concurrency/deploy-locks.ts'
import { growth } from '../../../support/measure/growth.ts'

const never = new AbortController().signal

/** Asks for locks of version 2 on so many sites, while version 1 is being deployed on another one. */
async function crowd(size: number, versionOn = (_place: number) => '2') {
  const locks = createDeployLocks()
  const first = await locks.enter(
    { site: 'first', application: 'blog', version: '1', container: 'prod.web.deploy.1' },
    () => undefined,
    never,
  )
  const ends = { begun: 0, failed: 0 }
  const all: Promise<unknown>[] = []
  const signals: AbortController[] = []
  for (let place = 0; place < size; place += 1) {
    const version = versionOn(place)
    const deploy = {
      site: `s${place}`,
      application: 'blog',
      version,
      container: `prod.web.deploy.${version}`,
    }
    const ending = new AbortController()
    signals.push(ending)
    const end = locks
      .enter(deploy, () => undefined, ending.signal)
      .then(
        lock => {
          ends.begun += 1
          lock.over()
        },
        () => {
          ends.failed += 1
        },
      )
    all.push(end)
  }
  const giveUp = () => {
    for (const ending of signals) ending.abort('shutdown')
  }
  return { locks, first, ends, giveUp, all: Promise.all(all) }
}

/** Has each site deploy another version than the one before it. */
const eachOther = (place: number) => `${2 + (place % 2)}`

describe('the deploys of an application on very many sites', () => {
  it('G24 all begin where 10,000 sites waited for one', async () => {
    const { first, ends, all } = await crowd(10_000)
    first.over()
    await all
    expect(ends).to.deep.equal({ begun: 10_000, failed: 0 })
  })

  it('G24 all end their waits where 10,000 sites waited for one, and hold up nobody after that', async () => {
    const { locks, first, ends, giveUp, all } = await crowd(10_000, eachOther)
    giveUp()
    await all
    expect(ends).to.deep.equal({ begun: 0, failed: 10_000 })
    first.over()
    const waited: string[] = []
    const next = { site: 'other', application: 'blog', version: '4', container: 'prod.web.deploy.4' }
    await locks.enter(next, site => waited.push(site), never)
    expect(waited).to.deep.equal([])
  })

  it('G24 take ten times as long for ten times as many sites: to wait, to begin, and to be given up', async () => {
    const begins = async (size: number) => {
      const { first, all } = await crowd(size)
      first.over()
      await all
    }
    const givesUp = async (size: number) => {
      const { giveUp, all } = await crowd(size, eachOther)
      giveUp()
      await all
    }
    for (const work of [begins, givesUp]) {
      await work(1_000)
      expect(await growth(work, 1_000)).to.be.below(50)
    }
  })

  it('G24 are looked for on a site without a look at all that wait', async () => {
    const crowds = new Map([
      [1_000, await crowd(1_000)],
      [10_000, await crowd(10_000)],
    ])
    const looks = (size: number) => {
      for (let place = 0; place < 100_000; place += 1) crowds.get(size)?.locks.seen(`s${place % size}`, [])
    }
    expect(await growth(looks, 1_000, 10)).to.be.below(10)
  })
})
