import { expect } from 'chai'
import { isNewer, versionBefore } from '../../../lib/fleet/version-before.ts'

const entriesOf = (text: string) => text.split(' ').map((version, at) => ({ number: at + 1, version }))
const any = () => true

describe('the version before the present one', () => {
  for (const [entered, present, before] of [
    ['1 2 3', '3', '2'],
    ['1 2 3 2', '2', '1'],
    ['1 2 3', '2', '1'],
    ['1 2 3 2 1', '1', undefined],
    ['1 2 3 2 4', '4', '2'],
    ['1 2 3 1 3', '3', '1'],
    ['1', '1', undefined],
  ] as const)
    it(`A6 A12 is ${before ?? 'none'} if ${entered.replaceAll(' ', ', ')} entered and ${present} is wanted: never what was left`, () => {
      expect(versionBefore(entriesOf(entered), present, any)).to.equal(before)
    })

  it('A6 A12 is none that somebody went back from without a commit', () => {
    const entries = entriesOf('1 2 3 4').map(one =>
      one.version === '3' ? { ...one, isLeft: true as const } : one,
    )
    expect(versionBefore(entries, '4', any)).to.equal('2')
  })

  it('A6 A12 is none that was only there while a deployment named another one', () => {
    const entries = entriesOf('1 2 3').map(one =>
      one.version === '2' ? { ...one, isUnwanted: true as const } : one,
    )
    expect(versionBefore(entries, '3', any)).to.equal('1')
  })

  it('A6 A12 is one that can be used', () => {
    expect(versionBefore(entriesOf('1 2 3'), '3', version => version !== '2')).to.equal('1')
  })

  it('A6 A12 is newer than another one by when each came first, and than one that nobody knows', () => {
    const entries = entriesOf('2 4 5 2')
    expect([
      isNewer(entries, '4', '2'),
      isNewer(entries, '2', '4'),
      isNewer(entries, '2', '9'),
    ]).to.deep.equal([...[true, false, true]])
  })
})
