import { expect } from 'chai'
import { service, simulatedScene } from '../../../support/simulated/scene.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'

/** What HAProxy answers, which common proxies in front of the socket of an engine are made of. */
const forbidden = {
  status: 403,
  message: 'Request forbidden by administrative rules.',
}
const refusal = 'local: claim: Request forbidden by administrative rules.'

describe('a proxy in front of the engine that lets nobody see or make volumes', () => {
  const it = sideBySide()

  it('D17 is told as such, with what to allow; what runs is shown, and all goes on once it is allowed', async () => {
    await using scene = await simulatedScene()
    const allow = scene.site('local').faults.set(/ \/volumes/, forbidden)
    // The first daemon may have the claim already.
    await scene.restart()
    scene.registry.push('web', '1')
    await scene.commit({ services: [service('web', '1')], skipConfirmation: true })
    const refused = await scene.until(
      'it is refused',
      ({ applications, errors }) => applications.length > 0 && errors.length > 0,
    )
    expect(refused.errors.map(({ code, message, hint }) => [code, message, hint])).to.deep.equal([
      ['claim-refused', refusal, 'Let the proxy pass GET, POST and DELETE of /volumes.'],
    ])
    expect(
      refused.applications.map(({ application, health, sync }) => [application, health, sync]),
    ).to.deep.equal([['web', 'Missing', 'OutOfSync']])
    const plan = await scene.ask('GET /api/v1/environments/prod/plan')
    expect(plan.warnings.map(({ code, message }: Record<string, string>) => [code, message])).to.deep.equal([
      [
        'claim-refused',
        `${refusal}: nothing is changed there, and each volume is shown as one to be created`,
      ],
    ])
    expect(scene.has('local')).to.deep.equal([])
    allow()
    await waitUntil('it is deployed', () => scene.has('local').length === 1)
  })
})
