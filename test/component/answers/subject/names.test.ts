import { expect } from 'chai'
import { refused } from '../../../support/failures/refused.ts'
import { manifestOf, memoryDaemon } from '../../../support/memory/memory-daemon.ts'

const files = { ...manifestOf('prod', { web: '1', api: '1' }), ...manifestOf('devel', { web: '1' }) }
const environments = ['prod', 'devel']

describe('a name that nobody knows', () => {
  const requests: readonly (readonly [request: string, given: object, message: string])[] = [
    ['POST /api/v1/suspend', { application: 'wep', reason: 'x' }, 'application "wep"; did you mean "web"?'],
    ['POST /api/v1/resume', { application: 'wep' }, 'application "wep"; did you mean "web"?'],
    ['POST /api/v1/retry', { application: 'wep' }, 'application "wep"; did you mean "web"?'],
    ['POST /api/v1/drain', { site: 'locla' }, 'site "locla"; did you mean "local"?'],
    ['POST /api/v1/undrain', { site: 'locla' }, 'site "locla"; did you mean "local"?'],
  ]
  for (const [request, given, message] of requests)
    it(`G13 is refused, with the nearest: ${request}`, async () => {
      await using daemon = await memoryDaemon({ environments, files })
      await daemon.pass()
      expect(await refused(daemon.ask(request, { environment: 'prod', ...given }))).to.equal(
        `wrong-usage: there is no ${message}`,
      )
    })

  for (const request of [
    'POST /api/v1/suspend',
    'POST /api/v1/resume',
    'POST /api/v1/retry',
    'POST /api/v1/reconcile',
    'POST /api/v1/drain',
    'GET /metrics',
    'GET /api/v1/environments/prdo/plan',
    'GET /api/v1/environments/prdo/progress?look=1&from=0&after=0',
  ])
    it(`G13 is refused for an environment too: ${request}`, async () => {
      await using daemon = await memoryDaemon({ environments, files })
      await daemon.pass()
      expect(
        await refused(daemon.ask(request, { environment: 'prdo', reason: 'x', site: 'local' })),
      ).to.equal('wrong-usage: there is no environment "prdo"; did you mean "prod"?')
    })

  it('G14 is known for what is suspended, blocked or no longer there', async () => {
    await using daemon = await memoryDaemon({
      environments: ['prod'],
      files: manifestOf('prod', { web: '1' }),
    })
    await daemon.pass()
    daemon.journal.suspend({ environment: 'prod', application: 'gone', reason: 'x', who: 'ann', atMs: 0 })
    expect(await daemon.ask('POST /api/v1/resume', { application: 'gone' })).to.deep.equal({ resumed: true })
  })

  it('G14 nothing is written down for an environment before it has a name', async () => {
    await using daemon = await memoryDaemon({ files: manifestOf('prod', { web: '1' }) })
    await daemon.ask('POST /api/v1/suspend', { reason: 'stocktaking', who: 'ann' })
    expect(daemon.journal.suspensions('', 0)).to.deep.equal([])
    expect(daemon.journal.suspensions('prod', 0).map(({ reason }) => reason)).to.deep.equal(['stocktaking'])
    await using unread = await memoryDaemon({ files: {} })
    expect(await refused(unread.ask('POST /api/v1/suspend', { reason: 'x' }))).to.match(
      /^environment-unread: the repository has not been read yet: the repository has no environments/,
    )
  })
})

describe('a suspension', () => {
  it('G14 is not replaced in silence: who and why is told, and it takes a word to replace it', async () => {
    await using daemon = await memoryDaemon({
      environments: ['prod'],
      files: manifestOf('prod', { web: '1' }),
    })
    await daemon.pass()
    const suspend = (reason: string, who: string, more = {}) =>
      daemon.ask('POST /api/v1/suspend', { reason, who, ...more })
    await suspend('stocktaking', 'ann')
    expect(await refused(suspend('moving', 'bob'))).to.equal(
      'already-suspended: prod has been suspended by ann since TIME: stocktaking',
    )
    expect(daemon.journal.suspensions('prod', 0).map(({ reason }) => reason)).to.deep.equal(['stocktaking'])
    await suspend('the shop', 'bob', { application: 'web' })
    expect(await suspend('moving', 'bob', { replace: true })).to.deep.equal({
      suspended: 'prod',
      replaced: { reason: 'stocktaking', who: 'ann' },
    })
    expect(daemon.journal.suspensions('prod', 0).map(({ reason, who }) => `${who}: ${reason}`)).to.deep.equal(
      ['bob: moving', 'bob: the shop'],
    )
  })

  it('G14 that is over does not stand in the way of another', async () => {
    await using daemon = await memoryDaemon({
      environments: ['prod'],
      files: manifestOf('prod', { web: '1' }),
    })
    await daemon.pass()
    daemon.journal.suspend({ environment: 'prod', reason: 'old', who: 'ann', atMs: 0, untilMs: 1 })
    expect(await daemon.ask('POST /api/v1/suspend', { reason: 'new' })).to.deep.equal({ suspended: 'prod' })
  })
})
