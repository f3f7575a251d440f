import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { createWaking } from '../../../../lib/reconcile/concurrency/waking.ts'

/** What is woken, by name, as `wake` is told to. */
function sites() {
  const woken: string[] = []
  const waking = createWaking()
  return {
    woken,
    wake: (...names: readonly string[]) => waking(names.map(name => () => void woken.push(name))),
  }
}

const thousand = Array.from({ length: 1_000 }, (_, index) => `site-${index + 1}`)

describe('sites that are woken', () => {
  it('G17 are woken at once if they are few', () => {
    const { wake, woken } = sites()
    wake('near', 'far')
    expect(woken).to.deep.equal(['near', 'far'])
  })

  it('G17 leave room for requests and events if they are many, and are woken in order', async () => {
    const { wake, woken } = sites()
    wake(...thousand)
    wake('later')
    expect(woken.length).to.equal(64)
    await turn()
    expect(woken.length).to.equal(128)
    for (let turns = 2; turns < 16; turns += 1) await turn()
    expect(woken).to.deep.equal([...thousand, 'later'])
  })

  it('G17 are woken at once again after the turn in which others were', async () => {
    const { wake, woken } = sites()
    wake(...thousand.slice(0, 64))
    wake('later')
    expect(woken.length).to.equal(64)
    await turn()
    expect(woken.at(-1)).to.equal('later')
    await turn()
    wake('last')
    expect(woken.at(-1)).to.equal('last')
  })
})
