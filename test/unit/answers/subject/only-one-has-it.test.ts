import { expect } from 'chai'
import { addressed } from '../../../../lib/answers/subject/addressed.ts'
import { refused } from '../../../support/failures/refused.ts'
import { ann, memoryAudience, memorySubject } from '../../../support/memory/memory-audience.ts'

/** Both environments have `web`; `blog` is in one of them alone, and so is the deployment `front` of `web`. */
function both() {
  const prod = memorySubject('prod', { applications: ['web', 'blog'] })
  const audience = memoryAudience(prod, memorySubject('staging', { applications: ['web'] }))
  const placement = { kind: 'all-sites' } as const
  const deployment = { name: 'front', application: 'web', revision: '', placement, healthyMs: 0 }
  audience.journal.setPlacement('staging', { deployment, sites: ['local'], canaries: [] })
  return audience
}

describe('a word for which no environment is named, where there are several', () => {
  it('G13 is about the only one that has the application, or the deployment', async () => {
    const audience = both()
    const blog = await addressed(audience, ann, 'retry', { application: 'blog' })
    expect(blog.subject.name()).to.equal('prod')
    const front = await addressed(audience, ann, 'pause', { deployment: 'front' })
    expect(front.subject.name()).to.equal('staging')
    const web = await addressed(audience, ann, 'pause', { deployment: 'web' })
    expect(web.subject.name(), 'only one has a deployment of it').to.equal('staging')
  })

  it('G13 is refused where several have it, or none, or where it is about no application', async () => {
    const audience = both()
    for (const about of [{ application: 'web' }, { deployment: 'wep' }, { application: '' }, {}])
      expect(await refused(addressed(audience, ann, 'resume', about))).to.equal(
        'wrong-usage: several environments run here; name one',
      )
  })
})
