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
      expect(wasOvertaken(entriesOf(entered), version, approvedMs)).to.equal(is)
    })
})
