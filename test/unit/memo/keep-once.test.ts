import { expect } from 'chai'
import { keepOnce } from '../../../lib/memo/keep-once.ts'

describe('what many have alike', () => {
  it('is one object for all that say the same, and another one for each that does not', () => {
    const kept = keepOnce<{ readonly restart: string; readonly networks: readonly string[] }>()
    const first = { restart: 'always', networks: ['prod'] }
    const other = { restart: 'always', networks: ['prod', 'edge'] }
    expect(kept(first)).to.equal(first)
    expect(kept(structuredClone(first))).to.equal(first)
    expect(kept(other)).to.equal(other)
    expect(kept(structuredClone(other))).to.equal(other)
  })
})
