import { expect } from 'chai'
import { hinted } from '../../../../lib/cli/output/hinted.ts'
import { catalogue, type ErrorCode, hintOf } from '../../../../lib/errors/catalogue.ts'
import { Failure } from '../../../../lib/errors.ts'
import { failureError } from '../../../../lib/reconcile/status/error.ts'

const codes = Object.keys(catalogue) as readonly ErrorCode[]
/** Verbs that only a daemon hears, and the one in place of which a flag of `apply` does at once what is asked. */
const verbs = /tallyman (reconcile|metrics|retry)/

describe('the hints of one-shot commands', () => {
  for (const code of codes.filter(code => verbs.test(catalogue[code].hint)))
    it(`lead nowhere that needs a daemon that is not there: ${code}`, () => {
      const hint = hintOf(code, false)
      const started = /Start "tallyman daemon"/.test(hint) || code === 'another-writer'
      expect(started || !verbs.test(hint), hint).to.equal(true)
    })

  it('name the flag in place of the verb, and the verb where a daemon hears it', () => {
    const quarantined = failureError(new Failure('quarantined', 'web: failed before'))
    expect(hinted(quarantined, false).hint).to.equal(
      'Commit a correction, or run "tallyman apply --retry" to try the same release again.',
    )
    expect(hinted(quarantined, true).hint).to.equal(catalogue.quarantined.hint)
  })

  it('stay as they are where a failure has one of its own', () => {
    const own = failureError(new Failure('quarantined', 'web: failed before', { hint: 'Ask Ann.' }))
    expect(hinted(own, false).hint).to.equal('Ask Ann.')
  })
})
