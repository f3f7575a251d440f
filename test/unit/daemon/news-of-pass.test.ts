import { expect } from 'chai'
import { newsOfPass } from '../../../lib/daemon/news-of-pass.ts'
import type { PassResult } from '../../../lib/reconcile/site/result/pass-result.ts'
import type { PassError } from '../../../lib/reconcile/status/error.ts'

function failed(error: Partial<PassError>): PassResult {
  const usual: PassError = { code: 'manifest-invalid', message: '/bogus', hint: '', retry: 'never' }
  return {
    ...{ outcome: 'failed', sync: 'Unknown', errors: [{ ...usual, ...error }] },
    ...{ waiting: [], results: [], status: [] },
  }
}

describe('what is new in a pass', () => {
  it('G13 G18 is another error that waits for a change, also with the code of the one before', () => {
    expect(newsOfPass(failed({ message: '/other' }))).not.to.equal(newsOfPass(failed({})))
    expect(newsOfPass(failed({}))).to.equal(newsOfPass(failed({})))
  })

  it('G13 G18 is not what a try says otherwise than the one before, so that an outage is told once', () => {
    const away = (message: string) => failed({ code: 'registry-unreachable', retry: 'backoff', message })
    expect(newsOfPass(away('no answer within 5 s'))).to.equal(newsOfPass(away('connection refused')))
  })
})
