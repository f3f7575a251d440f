import { expect } from 'chai'
import { retryShown } from '../../../lib/answers/retry.ts'
import { failureOf } from '../../support/failures/failure-of.ts'
import { ann, memoryAudience, memorySubject, saidMs, stranger } from '../../support/memory/memory-audience.ts'

const trouble = {
  ...{ environment: 'prod', site: 'local', application: 'web', service: 'web', release: 'r1' },
  ...{ code: 'job-failed', message: 'its post hook failed', atMs: 1_000 },
}

function failed() {
  const audience = memoryAudience(memorySubject())
  audience.journal.setTrouble(trouble)
  return audience
}

describe('what failed, and is tried again with the plan that is carried out', () => {
  it('D4 G5 is on record as what somebody said', () => {
    const audience = failed()
    retryShown(audience, { ...ann, via: 'flag' }, 'prod')
    expect(audience.journal.answers({ limit: 9 })).to.deep.equal([
      { environment: 'prod', verb: 'retry', who: 'ann', via: 'flag', atMs: saidMs },
    ])
  })

  it('G25 was not said where nothing has failed', () => {
    const audience = memoryAudience(memorySubject())
    retryShown(audience, ann, 'prod')
    expect(audience.journal.answers({ limit: 9 })).to.deep.equal([])
  })

  it('G23 is said by nobody who may not', async () => {
    const audience = failed()
    const failure = await failureOf((async () => retryShown(audience, stranger, 'prod'))())
    expect(failure.code).to.equal('control-forbidden')
    expect(audience.journal.answers({ limit: 9 })).to.deep.equal([])
  })
})
