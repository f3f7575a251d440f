import { expect } from 'chai'
import { wasOvertaken } from '../../../lib/fleet/overtaken.ts'

/**
 * Each version entered at the time that is its place, from 1. `3?`: a deployment named another one all the while. `3@5`: it
 * was wanted first at 5.
 */
const entriesOf = (text: string) =>
  text.split(' ').map((written, at) => {
    const [version = '', wanted = at + 1] = written.replace('?', '').split('@')
    const atMs = Number(wanted)
    return { version, atMs, ...(written.endsWith('?') ? {} : { wantedSeq: atMs }) }
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
    ['1 2 3@4 2@5', '2', 3, true],
    ['1 2 3@4 2@5', '2', 4, false],
    ['1 2@4 3', '3', 3, false],
    ['1', '9', 0, false],
  ] as const)
    it(`X18 was ${is ? '' : 'not '}overtaken if ${entered.replaceAll(' ', ', ')} entered, and ${version} was approved at ${approvedMs}`, () => {
      const entries = entriesOf(entered)
      expect(wasOvertaken(entries, version, { atMs: approvedMs })).to.equal(is)
      const wantedSeq = approvedMs
      expect(wasOvertaken(entries, version, { wantedSeq, atMs: 0 }), 'the clock was put back').to.equal(is)
      expect(wasOvertaken(entries, version, { wantedSeq, atMs: 9 }), 'the clock was put forward').to.equal(is)
    })
})
