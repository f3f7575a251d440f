import { expect } from 'chai'
import type { ErrorCode } from '../../../../../lib/errors/catalogue.ts'
import { Failure } from '../../../../../lib/errors.ts'
import { whyUnreached } from '../../../../../lib/reconcile/site/result/unreached.ts'

const failing = (code: ErrorCode) => ({ site: 'oslo', failure: new Failure(code, 'oslo: it is so') })

describe('a site whose engine cannot be spoken to', () => {
  for (const code of [
    'engine-unreachable',
    'engine-denied',
    'engine-key-unusable',
    'engine-host-unknown',
    'engine-host-changed',
  ] as const)
    it(`A34 is not reached, which is no error of what is deployed: ${code}`, () => {
      expect(whyUnreached(failing(code), [], false)?.code).to.equal(code)
      expect(whyUnreached(failing(code), [], true), 'as the only site').to.equal(undefined)
    })

  for (const code of ['engine-unsupported', 'engine-refused', 'internal'] as const)
    it(`has an error if it was reached: ${code}`, () => {
      expect(whyUnreached(failing(code), [], false)).to.equal(undefined)
    })
})
