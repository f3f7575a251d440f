import { expect } from 'chai'
import { abortDeployment, pauseDeployment, redeploy } from '../../../lib/answers/deployment.ts'
import { failureOf } from '../../support/failures/failure-of.ts'
import { ann, keepVersions, memoryAudience, memorySubject } from '../../support/memory/memory-audience.ts'

describe('a word about the deployment of an application that has none', () => {
  const words = { pause: pauseDeployment, abort: abortDeployment, redeploy }
  for (const [verb, say] of Object.entries(words))
    it(`G13 says how a rollout of it is given up, and the next one held back: ${verb}`, async () => {
      const audience = memoryAudience(memorySubject())
      keepVersions(audience, '1', '2')
      const failure = await failureOf(say(audience, ann, { deployment: 'web' }))
      expect([failure.code, failure.message]).to.deep.equal([
        'wrong-usage',
        `web has no deployment, so there is none to ${verb}`,
      ])
      expect(failure.hint).to.contain('"tallyman rollback web --now"').and.contain('"tallyman suspend')
      expect(audience.journal.answers({ limit: 9 })).to.deep.equal([])
    })

  it('G13 offers no way back where no earlier version is kept, as while it is first installed', async () => {
    const audience = memoryAudience(memorySubject())
    keepVersions(audience, '1')
    expect((await failureOf(pauseDeployment(audience, ann, { deployment: 'web' }))).hint).to.equal(
      'To give up a rollout of it that is under way, commit a revert; to hold back the next change, run "tallyman suspend --reason TEXT --application web".',
    )
  })

  it('G13 says that there is no deployment of a name that no application has', async () => {
    const failure = await failureOf(
      abortDeployment(memoryAudience(memorySubject()), ann, { deployment: 'shpo' }),
    )
    expect(failure.message).to.equal('there is no deployment "shpo"')
  })
})
