import { expect } from 'chai'
import { abortDeployment, pauseDeployment } from '../../../lib/answers/deployment.ts'
import { resume } from '../../../lib/answers/resume.ts'
import { retry } from '../../../lib/answers/retry.ts'
import type { Audience } from '../../../lib/answers/subject/subject.ts'
import { suspend } from '../../../lib/answers/suspend.ts'
import type { Failure } from '../../../lib/errors.ts'
import type { Deployment } from '../../../lib/state/fleet/deployment.ts'
import { ann, memoryAudience, memorySubject, saidMs } from '../../support/memory/memory-audience.ts'

/** A deployment of `web` 2.0 to these sites, of which `gone` and `away` are no longer configured. */
function scene(reached: readonly string[], sites = ['edge', 'gone', 'local']) {
  const audience = memoryAudience(memorySubject())
  const { journal } = audience
  const deployment: Deployment = {
    ...{ name: 'everywhere', application: 'web', revision: 'r', healthyMs: 0 },
    placement: { kind: 'all-sites' },
  }
  journal.setPlacement('prod', { deployment, sites, canaries: [] })
  const run = journal.beginRun({
    ...{ environment: 'prod', deployment: 'everywhere', application: 'web' },
    ...{ version: '2.0', content: 'two', seed: 1, atMs: saidMs },
  })
  for (const site of reached) journal.addFact(run.id, { kind: 'reached', atMs: saidMs, site })
  return audience
}

describe('a deployment of which a site was taken out of the configuration', () => {
  it('A25 A33 is done once all sites that are there have its version: it is not aborted, and a pause says so', async () => {
    const audience = scene(['edge', 'local'])
    const failure: Failure = await abortDeployment(audience, ann, { deployment: 'everywhere' }).then(
      () => expect.fail('it is aborted'),
      error => error,
    )
    expect(failure.code).to.equal('deployment-done')
    expect(await pauseDeployment(audience, ann, { deployment: 'everywhere' })).to.deep.equal({
      ...{ deployment: 'everywhere', version: '2.0', isDone: true },
    })
  })

  it('A33 G13 does not go on once it is resumed, if it is done: only the next version is no longer held back', async () => {
    const done = scene(['edge', 'local'])
    await pauseDeployment(done, ann, { deployment: 'everywhere' })
    expect(await resume(done, ann, { application: 'everywhere' })).to.deep.equal({
      ...{ resumed: true, deployment: 'everywhere', version: '2.0', isDone: true },
    })
    const open = scene(['edge'])
    await pauseDeployment(open, ann, { deployment: 'everywhere' })
    expect(await resume(open, ann, { application: 'everywhere' })).to.deep.equal({
      ...{ resumed: true, deployment: 'everywhere' },
    })
  })

  it('A33 goes on once it is resumed, if it failed on a site that had the version', async () => {
    const audience = scene(['edge', 'local'])
    const { id = 0 } = audience.journal.run('prod', 'web') ?? {}
    audience.journal.addFact(id, { kind: 'failed', atMs: saidMs, site: 'edge', reason: 'it crashed' })
    expect(await resume(audience, ann, { application: 'everywhere' })).to.deep.equal({
      ...{ resumed: true, deployment: 'everywhere' },
    })
  })

  it('A33 is aborted where none of its sites is there, unless all of them have its version', async () => {
    const none = ['away', 'gone']
    expect(await abortDeployment(scene(['gone'], none), ann, { deployment: 'everywhere' })).to.deep.equal({
      ...{ deployment: 'everywhere', version: '2.0' },
    })
    const failure: Failure = await abortDeployment(scene(none, none), ann, { deployment: 'everywhere' }).then(
      () => expect.fail('it is aborted'),
      error => error,
    )
    expect(failure.code).to.equal('deployment-done')
  })

  it('A33 is aborted while one that is there does not have it', async () => {
    const audience = scene(['edge', 'gone'])
    expect(await abortDeployment(audience, ann, { deployment: 'everywhere' })).to.deep.equal({
      ...{ deployment: 'everywhere', version: '2.0' },
    })
  })
})

describe('an application with the name of a deployment of another one, which is refused since', () => {
  for (const [verb, say] of [
    ['suspended', (audience: Audience) => suspend(audience, ann, { application: 'web', reason: 'moving' })],
    ['resumed', (audience: Audience) => resume(audience, ann, { application: 'web' })],
    ['tried again', (audience: Audience) => retry(audience, ann, { application: 'web' })],
  ] as const)
    it(`D17 G14 is ${verb} on its own sites, although others write on those of the other one`, async () => {
      const subject = memorySubject('prod', { applications: ['shop', 'web'] })
      const audience = memoryAudience(subject)
      const deployment: Deployment = {
        ...{ name: 'web', application: 'shop', revision: 'r', healthyMs: 0 },
        placement: { kind: 'all-sites' },
      }
      audience.journal.setPlacement('prod', { deployment, sites: ['edge'], canaries: [] })
      subject.rival(new Map([['edge', { message: 'another process writes here', hint: 'stop it' }]]))
      const { left } = await say(audience)
      expect(left).to.deep.equal([{ site: 'edge', reason: 'another process writes here' }])
    })

  it('A33 G14 is resumed by its name, and what was aborted of the other does not go on', async () => {
    const audience = memoryAudience(memorySubject('prod', { applications: ['shop', 'web'] }))
    const { journal } = audience
    const deployment: Deployment = {
      ...{ name: 'web', application: 'shop', revision: 'r', healthyMs: 0 },
      placement: { kind: 'all-sites' },
    }
    journal.setPlacement('prod', { deployment, sites: ['local'], canaries: [] })
    journal.beginRun({
      ...{ environment: 'prod', deployment: 'web', application: 'shop' },
      ...{ version: '2.0', content: 'two', seed: 1, atMs: saidMs },
    })
    await abortDeployment(audience, ann, { deployment: 'web' })
    await suspend(audience, ann, { application: 'web', reason: 'moving' })
    expect(await resume(audience, ann, { application: 'web' })).to.deep.equal({ resumed: true })
    expect(journal.suspensions('prod', saidMs)).to.deep.equal([])
    expect(await resume(audience, ann, { application: 'shop' })).to.deep.equal({
      ...{ resumed: true, deployment: 'web' },
    })
  })
})
