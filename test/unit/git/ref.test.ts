import { expect } from 'chai'
import { candidatesOf, isCommit, meaningOf, nearestNames, type Ref } from '../../../lib/git/ref.ts'

const one = '1'.repeat(40)
const two = '2'.repeat(40)
const three = '3'.repeat(40)

describe('a ref', () => {
  const refs: readonly Ref[] = [
    { name: 'HEAD', oid: one, target: 'refs/heads/main' },
    { name: 'refs/heads/main', oid: one },
    { name: 'refs/heads/main-2', oid: two },
    { name: 'refs/tags/v1', oid: two, peeled: three },
  ]

  it('means the default branch, by its name, when none is given', () => {
    expect(meaningOf(undefined, refs)).to.deep.equal({ commit: one, ref: 'main' })
  })

  it('means HEAD itself when HEAD is detached', () => {
    expect(meaningOf(undefined, [{ name: 'HEAD', oid: two }])).to.deep.equal({ commit: two, ref: 'HEAD' })
  })

  it('means a branch of exactly this name', () => {
    expect(meaningOf('main', refs)).to.deep.equal({ commit: one, ref: 'main' })
    expect(meaningOf('mai', refs)).to.equal(undefined)
  })

  it('means the commit that an annotated tag stands for', () => {
    expect(meaningOf('v1', refs)).to.deep.equal({ commit: three, ref: 'v1' })
  })

  it('prefers a branch to a tag of the same name', () => {
    const both = [
      { name: 'refs/tags/v1', oid: two },
      { name: 'refs/heads/v1', oid: one },
    ]
    expect(meaningOf('v1', both)).to.deep.equal({ commit: one, ref: 'v1' })
  })

  it('is looked for under few names', () => {
    expect(candidatesOf(undefined)).to.deep.equal(['HEAD'])
    expect(candidatesOf('main')).to.deep.equal(['refs/heads/main', 'refs/tags/main'])
    expect(candidatesOf('refs/pull/7/head')).to.deep.equal(['refs/pull/7/head'])
  })

  it('is a commit only with all its forty digits', () => {
    expect(isCommit(one)).to.equal(true)
    expect(isCommit(one.slice(1))).to.equal(false)
  })

  it('that does not exist is answered with those spelled most like it', () => {
    expect(nearestNames('mian', refs)).to.deep.equal(['main', 'main-2', 'v1'])
  })
})
