import { expect } from 'chai'
import type { ErrorCode } from '../../../../../lib/errors/catalogue.ts'
import { Failure } from '../../../../../lib/errors.ts'
import {
  NoneReached,
  whyNoneAnswers,
  whyUnreached,
} from '../../../../../lib/reconcile/site/result/why-unreached.ts'

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

describe('sites of which none answers', () => {
  const engines = [{ site: 'oslo' }, { site: 'bergen' }]
  const asked = (...codes: readonly ErrorCode[]) =>
    new AggregateError(codes.map((code, at) => new Failure(code, `${engines[at]?.site}: ${code}`)))

  it('A34 are each not reached, for the reason that each has', () => {
    const why = whyNoneAnswers(engines, asked('engine-unreachable', 'engine-host-changed'))
    expect(why.message).to.equal('no site is reached: oslo: engine-unreachable; bergen: engine-host-changed')
    const sites = why instanceof NoneReached ? [...why.sites].map(([site, { code }]) => [site, code]) : []
    expect(sites).to.deep.equal([
      ['oslo', 'engine-unreachable'],
      ['bergen', 'engine-host-changed'],
    ])
  })

  it('are told by the one that was reached and cannot be used', () => {
    const why = whyNoneAnswers(engines, asked('engine-unreachable', 'engine-unsupported'))
    expect(why).to.include({ code: 'engine-unsupported', message: 'bergen: engine-unsupported' })
  })

  it('A34 have an error if there is only one', () => {
    const why = whyNoneAnswers(engines.slice(0, 1), asked('engine-denied'))
    expect(why).to.include({ code: 'engine-denied', message: 'oslo: engine-denied' })
  })
})
