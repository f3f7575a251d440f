import { expect } from 'chai'
import type { Engine } from '../../../lib/engine.ts'
import { Failure } from '../../../lib/errors.ts'
import { routes } from '../../../lib/http/requests.ts'
import { refused } from '../../support/failures/refused.ts'
import {
  everyImage,
  type MemoryDaemon,
  manifestOf,
  memoryDaemon,
} from '../../support/memory/memory-daemon.ts'
import { memoryEngine } from '../../support/memory/memory-engine.ts'
import { unlessItHangs } from '../../support/time/hangs.ts'

const skipping = { skipConfirmation: true }
const files = (tag: string) => manifestOf('prod', { web: tag }, skipping)
const status = async (daemon: MemoryDaemon) => (await daemon.ask('GET /api/v1/environments'))[0]

describe('what can be asked of a daemon', () => {
  it('G13 is one thing for each method and address', () => {
    const addresses = [
      'GET /api/v1/environments',
      'GET /api/v1/environments/:environment/plan',
      'GET /api/v1/environments/:environment/progress',
      'GET /api/v1/ingress',
      'GET /api/v1/sites',
      'GET /healthz',
      'GET /metrics',
      'POST /api/v1/plans/:id/approve',
      'POST /api/v1/plans/:id/discard',
      'POST /api/v1/reconcile',
      'POST /api/v1/suspend',
      'POST /api/v1/resume',
      'POST /api/v1/retry',
      'POST /api/v1/rollback',
      'POST /api/v1/drain',
      'POST /api/v1/undrain',
      'POST /api/v1/pause',
      'POST /api/v1/abort',
      'POST /api/v1/redeploy',
      'POST /api/v1/force-upgrade',
      'POST /api/v1/force-upgrade/question',
      'POST /api/v1/delete-upgrade',
    ]
    expect(routes.map(({ method, url }) => `${method} ${url}`)).to.deep.equal(addresses)
  })
})

describe('the plan of an environment', () => {
  it('D4 is the one of the last pass, and says whether it waits for a word', async () => {
    await using daemon = await memoryDaemon({ files: manifestOf('prod', { web: '1' }) })
    await daemon.pass()
    const { waiting } = await status(daemon)
    const plan = await daemon.ask('GET /api/v1/environments/prod/plan')
    expect(plan).to.include({ id: waiting.plan, environment: 'prod', needsConfirmation: true })
    await daemon.ask(`POST /api/v1/plans/${waiting.plan}/approve`)
    await daemon.pass()
    await daemon.pass()
    const after = await daemon.ask('GET /api/v1/environments/prod/plan')
    expect(after).to.include({ needsConfirmation: false })
    expect(after.changes).to.deep.equal([])
  })

  it('G4 is none while nothing could be read', async () => {
    await using daemon = await memoryDaemon({ files: {}, environments: ['prod'] })
    await daemon.pass()
    expect(await refused(daemon.ask('GET /api/v1/environments/prod/plan'))).to.match(/^plan-changed: /)
  })
})

describe('a word to look again', () => {
  const environments = ['prod', 'devel']
  const both = { ...files('1'), ...manifestOf('devel', { web: '1' }, skipping) }

  it('G18 is for all environments, or for the one that is named', async () => {
    await using daemon = await memoryDaemon({ environments, files: both })
    await daemon.pass()
    expect(await daemon.ask('POST /api/v1/reconcile')).to.deep.equal({ requested: 2 })
    expect(await daemon.ask('POST /api/v1/reconcile', { environment: 'devel' })).to.deep.equal({
      requested: 1,
    })
  })

  it('G18 has a commit followed that nobody has told of', async () => {
    await using daemon = await memoryDaemon({ files: files('1') })
    await daemon.pass()
    daemon.commit(files('2'))
    await daemon.ask('POST /api/v1/reconcile')
    const [running] = daemon.control.running
    const isFollowed = () => running?.loop.state().last?.desired?.revision.commit === '2'.repeat(40)
    await running?.ends.until(isFollowed, unlessItHangs())
    expect((await status(daemon)).revision.commit).to.equal('2'.repeat(40))
  })
})

describe('a word to try again', () => {
  const unhealthy = new Failure('unhealthy', 'its health check fails')

  /** A daemon whose engine gets nothing healthy until it is told to. */
  async function failing() {
    let isHealthy = false
    const memory = memoryEngine({ distribution: everyImage })
    const execute: Engine['execute'] = async (step, ...more) => {
      if (step.do === 'await-healthy' && !isHealthy) throw unhealthy
      return memory.execute(step, ...more)
    }
    const daemon = await memoryDaemon({
      files: manifestOf('prod', { web: '1', api: '1' }, skipping),
      engine: { ...memory, execute },
    })
    await daemon.pass()
    await daemon.pass()
    return {
      daemon,
      heal: () => {
        isHealthy = true
      },
    }
  }

  it('G5 lets go of what is in quarantine, all of it or one application, and counts it', async () => {
    const { daemon, heal } = await failing()
    await using _daemon = daemon
    expect(codes(await status(daemon))).to.deep.equal(['quarantined', 'quarantined'])
    heal()
    await daemon.pass()
    expect(codes(await status(daemon)), 'a look is no word').to.deep.equal(['quarantined', 'quarantined'])
    expect(await daemon.ask('POST /api/v1/retry', { application: 'api' })).to.deep.equal({ released: 1 })
    await daemon.pass()
    await daemon.pass()
    expect(codes(await status(daemon))).to.deep.equal(['quarantined'])
    expect(await daemon.ask('POST /api/v1/retry')).to.deep.equal({ released: 1 })
    await daemon.pass()
    await daemon.pass()
    expect((await status(daemon)).sync).to.equal('Synced')
    expect(await daemon.ask('POST /api/v1/retry')).to.deep.equal({ released: 0 })
  })
})

describe('a word to hold', () => {
  it('G14 keeps a commit from being carried out until it is taken back or its time is over', async () => {
    let nowMs = Date.parse('2026-03-01T12:00:00Z')
    const clock = { nowMs: () => nowMs, steadyMs: () => nowMs }
    await using daemon = await memoryDaemon({ files: files('1'), clock })
    const applied = async () => {
      await daemon.pass()
      await daemon.pass()
      return (await status(daemon)).sync === 'Synced'
    }
    expect(await applied()).to.equal(true)
    const untilMs = nowMs + 60_000
    await daemon.ask('POST /api/v1/suspend', { reason: 'stocktaking', who: 'ann', untilMs })
    daemon.commit(files('2'), '2'.repeat(40))
    expect(await applied()).to.equal(false)
    nowMs += 59_999
    expect(await applied()).to.equal(false)
    nowMs += 1
    expect(await applied()).to.equal(true)

    await daemon.ask('POST /api/v1/suspend', { application: 'web', reason: 'moving', who: 'ann' })
    daemon.commit(files('3'), '3'.repeat(40))
    expect(await applied()).to.equal(false)
    await daemon.ask('POST /api/v1/resume')
    expect(await applied(), 'the word was on the application').to.equal(false)
    expect(await daemon.ask('POST /api/v1/resume', { application: 'web' })).to.deep.equal({ resumed: true })
    expect(await applied()).to.equal(true)
  })

  it('G14 is without an end unless a number says when', async () => {
    await using daemon = await memoryDaemon({ files: files('1') })
    await daemon.pass()
    expect(await refused(daemon.ask('POST /api/v1/suspend', { reason: 'x', untilMs: 'tomorrow' }))).to.equal(
      'wrong-usage: untilMs must be integer',
    )
    expect(daemon.journal.suspensions('prod', 0)).to.deep.equal([])
    await daemon.ask('POST /api/v1/suspend', { reason: 'x' })
    const [{ untilMs, who } = {}] = daemon.journal.suspensions('prod', 0)
    expect([untilMs, who]).to.deep.equal([undefined, 'unknown'])
  })
})

describe('a word to drain a site', () => {
  it('P12 is told to the ingress of that site and environment, and taken back', async () => {
    const told: unknown[] = []
    const setDraining = async (identity: { readonly environment: string }, isDraining: boolean) => {
      told.push([identity.environment, isDraining])
    }
    await using daemon = await memoryDaemon({ files: files('1'), engine: { setDraining } })
    await daemon.pass()
    expect(await daemon.ask('POST /api/v1/drain', { site: 'local' })).to.deep.equal({
      site: 'local',
      isDraining: true,
    })
    expect(await daemon.ask('POST /api/v1/undrain', { site: 'local' })).to.deep.equal({
      site: 'local',
      isDraining: false,
    })
    expect(told).to.deep.equal([
      ['prod', true],
      ['prod', false],
    ])
  })

  it('P12 fails with what the ingress says', async () => {
    await using daemon = await memoryDaemon({ files: files('1') })
    await daemon.pass()
    expect(await refused(daemon.ask('POST /api/v1/drain', { site: 'local' }))).to.match(
      /^ingress-unreachable: /,
    )
  })
})

describe('what is followed of a plan', () => {
  const place = 'GET /api/v1/environments/prod/progress'

  for (const query of [
    '',
    '?look=1&from=0',
    '?look=1&after=0',
    '?after=0&from=0',
    '?look=one&after=0&from=0',
    '?look=1.5&after=0&from=0',
    '?look=1&after=x&from=0',
  ])
    it(`G13 begins at counts, and at nothing else: ${query || 'none'}`, async () => {
      await using daemon = await memoryDaemon({ files: files('1') })
      await daemon.pass()
      expect(await refused(daemon.ask(`${place}${query}`))).to.match(
        /^wrong-usage: (look|from|after) is (required|not a whole number)/,
      )
    })

  it('G13 says how it is now of a look that is long ago, and of one to come nothing', async () => {
    await using daemon = await memoryDaemon({ files: files('1') })
    for (let count = 0; count < 3; count += 1) await daemon.pass()
    const of = (look: number) => daemon.ask(`${place}?look=${look}&from=64&after=1000000`)
    expect((await of(1)).ended).to.include({ outcome: 'in-sync', waiting: 0 })
    expect(await of(100_000)).to.not.have.property('ended')
  })

  it('G13 G18 ends as the passes did that carried it out, on however many sites', async () => {
    const engines = Array.from({ length: 100 }, (_, index) =>
      memoryEngine({ site: `site-${index}`, distribution: everyImage }),
    )
    const sites = engines.map(({ site }) => ({ name: site, endpoint: `unix:///run/${site}.sock` }))
    await using daemon = await memoryDaemon({
      files: manifestOf('prod', { web: '1' }),
      engines,
      config: { sites },
    })
    await daemon.pass()
    const { waiting } = await status(daemon)
    const { from, look, after } = await daemon.ask(`POST /api/v1/plans/${waiting.plan}/approve`, {})
    // One carries it out, one verifies it.
    for (let count = 0; count < 2; count += 1) await daemon.pass()
    const query = `plan=${waiting.plan}&from=${from}&look=${look}&after=${after + 1_000_000}`
    const { ended } = await daemon.ask(`${place}?${query}`)
    expect(ended).to.include({ outcome: 'applied', sync: 'Synced', waiting: 0 })
  })
})

/** The codes of what went wrong in the last pass. */
function codes({ errors }: { readonly errors: readonly { readonly code: string }[] }): readonly string[] {
  return errors.map(({ code }) => code)
}
