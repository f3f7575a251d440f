import { expect } from 'chai'
import { candidatesOf, isCommit, meaningOf, nearestNames } from '../../../lib/git/ref.ts'

const one = '1'.repeat(40)
const two = '2'.repeat(40)
const three = '3'.repeat(40)

describe('a ref', () => {
  it('means the default branch, by its name, when none is given', () => {
    const head = { name: 'HEAD', oid: one, target: 'refs/heads/main' }
    expect(meaningOf(undefined, head)).to.deep.equal({ commit: one, ref: 'main' })
  })

  it('means HEAD itself when HEAD is detached', () => {
    expect(meaningOf(undefined, { name: 'HEAD', oid: two })).to.deep.equal({ commit: two, ref: 'HEAD' })
  })

  it('means the commit that an annotated tag stands for', () => {
    const tag = { name: 'refs/tags/v1', oid: two, peeled: three }
    expect(meaningOf('v1', tag)).to.deep.equal({ commit: three, ref: 'v1', tag: two })
  })

  it('is looked for under few names, as a branch before a tag', () => {
    expect(candidatesOf(undefined)).to.deep.equal(['HEAD'])
    expect(candidatesOf('main')).to.deep.equal(['refs/heads/main', 'refs/tags/main'])
    expect(candidatesOf('refs/pull/7/head')).to.deep.equal(['refs/pull/7/head'])
  })

  it('is a commit only with all its forty digits', () => {
    expect(isCommit(one)).to.equal(true)
    expect(isCommit(one.slice(1))).to.equal(false)
  })

  it('that does not exist is answered with those spelled most like it', () => {
    expect(
      nearestNames('mian', ['HEAD', 'refs/tags/v1', 'refs/heads/main-2', 'refs/heads/main']),
    ).to.deep.equal(['main', 'main-2', 'v1'])
  })
})
