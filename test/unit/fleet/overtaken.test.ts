import { expect } from 'chai'
import { wasOvertaken } from '../../../lib/fleet/overtaken.ts'

/** Each version entered at the time that is its place, from 1. `3?`: a deployment named another one all the while. */
const entriesOf = (text: string) =>
  text.split(' ').map((written, at) => {
    const version = written.replace('?', '')
    const is = version === written ? {} : { isUnwanted: true as const }
    return { number: at + 1, version, atMs: at + 1, ...is }
  })

describe('a version that was approved', () => {
  for (const [entered, version, approvedMs, is] of [
    ['1 2', '2', 2, false],
    ['1 2 3', '2', 2, false],
    ['1 2 3 2', '2', 2, true],
    ['1 2 3 2', '2', 4, false],
    ['1 2 3 2', '2', 3, false],
    ['1 2 3', '3', 2, false],
    ['1 2 3 4 2', '2', 2, true],
    ['1 2 3? 2', '2', 2, false],
    ['1', '9', 0, false],
  ] as const)
    it(`X18 was ${is ? '' : 'not '}overtaken if ${entered.replaceAll(' ', ', ')} entered, and ${version} was approved at ${approvedMs}`, () => {
      const entries = entriesOf(entered)
      expect(wasOvertaken(entries, version, { atMs: approvedMs })).to.equal(is)
      const entry = approvedMs
      expect(wasOvertaken(entries, version, { entry, atMs: 0 }), 'the clock was put back').to.equal(is)
      expect(wasOvertaken(entries, version, { entry, atMs: 9 }), 'the clock was put forward').to.equal(is)
    })
})
