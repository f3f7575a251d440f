import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { Failure, messageOf, toFailure } from '../../lib/errors.ts'

describe('toFailure', () => {
  it('G12 calls whatever was aborted interrupted, never a defect', async () => {
    const aborted = AbortSignal.abort()
    const thrown = await Promise.all([
      fetch('http://127.0.0.1:9/', { signal: aborted }).catch((error: unknown) => error),
      sleep(1, undefined, { signal: aborted }).catch((error: unknown) => error),
      Promise.resolve(aborted.reason),
    ])
    expect(thrown.map(error => toFailure(error).code)).to.deep.equal([
      'interrupted',
      'interrupted',
      'interrupted',
    ])
    expect(toFailure(aborted.reason).hint).to.equal('Run it again; tallyman plans again what is left.')
  })

  it('calls what nobody translated a defect, and leaves a Failure as it is', () => {
    expect(toFailure(new TypeError('x is not a function')).code).to.equal('internal')
    expect(toFailure('words')).to.include({ code: 'internal', message: 'words' })
    const failure = new Failure('superseded', 'superseded by commit c2')
    expect(toFailure(failure)).to.equal(failure)
  })
})

describe('messageOf', () => {
  it('G13 leaves out what Node.js advises those who start it themselves', () => {
    const advice = '; if the root CA is installed locally, try running Node.js with --use-system-ca'
    const what = 'unable to verify the first certificate'
    expect([new Error(`${what}${advice}`), new Error(what), `${what}${advice}`].map(messageOf)).to.deep.equal(
      [what, what, what],
    )
  })
})
