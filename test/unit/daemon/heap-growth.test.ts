import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { heapGrowth } from '../../../lib/daemon/heap-growth.ts'

describe('the garbage that a daemon keeps', () => {
  it('G17 is a fifth of its heap with up to 2,000 sites, and up to three fifths with more', () => {
    expect([1, 1_000, 2_000, 2_999, 4_000, 10_000].map(heapGrowth)).to.deep.equal([20, 20, 20, 29, 40, 60])
  })

  it('G17 is with few sites what bin/tallyman starts a daemon with', () => {
    const script = readFileSync(join(import.meta.dirname, '../../../bin/tallyman'), 'utf8')
    const ofDaemon = /= daemon \]; then.*?--heap-growing-percent=(\d+)/s.exec(script)?.[1]
    expect(Number(ofDaemon)).to.equal(heapGrowth(1))
  })
})
