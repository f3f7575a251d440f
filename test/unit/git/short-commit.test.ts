import { expect } from 'chai'
import { isShortCommit, onlyCommit } from '../../../lib/git/short-commit.ts'

const one = `abcdef1${'1'.repeat(33)}`
const two = `abcdef1${'2'.repeat(33)}`

describe('the beginning of a commit', () => {
  it('has seven digits at least', () => {
    expect(['abcdef', 'abcdef1', 'main-12', one].map(isShortCommit)).to.deep.equal([
      false,
      true,
      false,
      false,
    ])
  })

  it('means the only commit that begins so, however often it is found', () => {
    expect(onlyCommit('abcdef1', [one, one], 'here')).to.equal(one)
    expect(onlyCommit('abcdef1', [], 'here')).to.equal(undefined)
  })

  it('that several commits have is refused, naming them', () => {
    expect(() => onlyCommit('abcdef1', [two, one], 'here')).to.throw(
      `here: several commits begin with "abcdef1": ${one}, ${two}`,
    )
  })
})
