import { expect } from 'chai'
import { printed } from '../../../../lib/cli/output/printed.ts'
import { statusLines } from '../../../../lib/cli/text/status/status-text.ts'
import { Failure } from '../../../../lib/errors.ts'
import type { ApplicationStatus } from '../../../../lib/reconcile/status/application/application-status.ts'
import {
  everyImage,
  type MemoryDaemon,
  manifestOf,
  memoryDaemon,
} from '../../../support/memory/memory-daemon.ts'
import {
  type MemoryEngine,
  type MemoryEngineParts,
  memoryEngine,
  runningOn,
} from '../../../support/memory/memory-engine.ts'

const files = (tag: string) => manifestOf('prod', { web: tag }, { skipConfirmation: true })
const nobody = new Failure('engine-unreachable', 'store-1: nobody answers')

describe('a pass over two sites', () => {
  it('G17 deploys where it is answered, says which site is not, and does that one as soon as it answers', async () => {
    const { sites, daemon, refuse } = await stores(nobody)
    await using _daemon = daemon
    await daemon.pass()
    expect(sites.map(runningOn)).to.deep.equal([[], ['web:1']])
    expect(sites[0].done).to.deep.equal([])
    expect(told(daemon)).to.deep.equal(['in-sync', 'store-1 is unreachable'])
    const before = sites[1].done.length
    refuse(undefined)
    await daemon.pass()
    expect(sites.map(runningOn)).to.deep.equal([['web:1'], ['web:1']])
    expect(sites[1].done, 'nothing is done again').to.have.length(before)
    await daemon.pass()
    expect(told(daemon)).to.deep.equal(['in-sync'])
  })

  it('G4 G17 takes no silence for nothing: what runs on a site that does not answer is neither removed nor missing', async () => {
    const { sites, daemon, refuse } = await stores()
    await using _daemon = daemon
    await daemon.pass()
    await daemon.pass()
    refuse(nobody)
    daemon.commit(files('2'))
    await daemon.pass()
    expect(sites.map(runningOn)).to.deep.equal([['web:1'], ['web:2']])
    const [status] = await daemon.ask('GET /api/v1/environments')
    expect([status.sync, status.outcome]).to.deep.equal(['Unknown', 'applied'])
    const [silent] = status.applications.filter(({ site }: ApplicationStatus) => site === 'store-1')
    expect(silent, 'what is wanted there').to.include({ sync: 'OutOfSync', version: '1', wantedVersion: '2' })
    refuse(undefined)
    await daemon.pass()
    expect(sites.map(runningOn)).to.deep.equal([['web:2'], ['web:2']])
  })

  it('G13 G17 a site that does not answer stays in the status, with the time at which it was last seen', async () => {
    const { daemon, refuse } = await stores()
    await using _daemon = daemon
    await daemon.pass()
    await daemon.pass()
    refuse(nobody)
    await daemon.pass()
    const [status] = await daemon.ask('GET /api/v1/environments')
    const shown = status.applications.map((one: ApplicationStatus) => [
      one.site,
      one.health,
      one.running,
      one.seenAt !== undefined,
    ])
    expect(shown).to.deep.equal([
      ['store-1', 'Healthy', 1, true],
      ['store-2', 'Healthy', 1, false],
    ])
    const text = printed(statusLines({ ...status, ingress: [] }, Date.now()), false)
    expect(text).to.match(/the containers on store-1 were last seen at \S+ /)
    refuse(undefined)
    await daemon.pass()
    expect(JSON.stringify(await daemon.ask('GET /api/v1/environments'))).not.to.include('seenAt')
  })

  it('A70 G4 G13 tells once why nothing changes on a site whose variables name what is gone, and not the removal that waits for it', async () => {
    const prod = (services: Readonly<Record<string, string>>) =>
      manifestOf('prod', services, { skipConfirmation: true })
    const { sites, daemon } = await stores()
    await using _daemon = daemon
    daemon.commit(prod({ web: '1', bag: '1' }))
    await daemon.pass()
    const left = { 'environments/prod/sites/store-2/variables.yaml': 'bag: {LEVEL: debug}\n' }
    daemon.commit({ ...prod({ web: '2' }), ...left }, '3'.repeat(40))
    await daemon.pass()
    expect(sites.map(site => runningOn(site).toSorted())).to.deep.equal([
      ['bag:1', 'web:2'],
      ['bag:1', 'web:1'],
    ])
    const [, ...errors] = told(daemon)
    expect(errors).to.deep.equal(['web overlay-unmatched'])
    const [status] = await daemon.ask('GET /api/v1/environments')
    const bag = status.applications.filter(({ application }: ApplicationStatus) => application === 'bag')
    expect(bag.map(({ site, reason }: ApplicationStatus) => `${site}: ${reason}`)).to.deep.equal([
      'store-1: neither the manifest nor a deployment names it any more',
      'store-2: all that the manifest asks for is blocked: web; nothing else is removed until some of it can run',
    ])
    expect(status.sync, 'its plan is still not carried out').to.equal('OutOfSync')
  })

  it('A34 G13 a site that is not reached is no error of the environment: status says since when, and why', async () => {
    const { daemon, refuse } = await stores()
    await using _daemon = daemon
    await daemon.pass()
    await daemon.pass()
    refuse(nobody)
    await daemon.pass()
    const [status] = await daemon.ask('GET /api/v1/environments')
    expect([status.outcome, status.errors]).to.deep.equal(['in-sync', []])
    const [{ since, next, ...said }] = status.unreachable
    expect(said).to.deep.equal({
      site: 'store-1',
      code: 'engine-unreachable',
      message: 'store-1: nobody answers',
      hint: 'Check that dockerd runs and that the endpoint of the site is right.',
    })
    expect(Date.parse(next)).to.be.above(Date.parse(since))
    const shown = printed(statusLines({ ...status, ingress: [] }, Date.now()), false)
    expect(shown).to.include(`  store-1 is unreachable since ${since}, next try ${next}\n`)
    await daemon.pass()
    const [later] = await daemon.ask('GET /api/v1/environments')
    expect(later.unreachable[0].since, 'since the first pass that did not reach it').to.equal(since)
    const passes = daemon.journal
      .log({ environment: 'prod', limit: 9 })
      .filter(({ site }) => site === 'store-1')
    expect(passes[0]).to.deep.include({ outcome: 'unreachable' })
    expect(passes[0]?.error).to.deep.include({ code: 'engine-unreachable' })
    refuse(undefined)
    await daemon.pass()
    expect(JSON.stringify(await daemon.ask('GET /api/v1/environments'))).not.to.include('unreachable')
  })

  it('G17 G5 puts back what one site cannot start, and updates the other one', async () => {
    const unhealthy = new Failure('unhealthy', 'its health check fails')
    const { sites, daemon, fail } = await stores()
    await using _daemon = daemon
    await daemon.pass()
    await daemon.pass()
    fail(unhealthy)
    daemon.commit(files('2'))
    await daemon.pass()
    expect(told(daemon)).to.deep.equal(['partially-applied', 'store-1/web/web unhealthy'])
    expect(sites.map(runningOn)).to.deep.equal([['web:1'], ['web:2']])
    fail(undefined)
    await daemon.pass()
    expect(sites.map(runningOn), 'quarantined there').to.deep.equal([['web:1'], ['web:2']])
    await daemon.ask('POST /api/v1/retry')
    await daemon.pass()
    expect(sites.map(runningOn)).to.deep.equal([['web:2'], ['web:2']])
  })

  it('D17 neither plans nor asks a site that does not run the environment, not even in the first pass', async () => {
    const asked: string[] = []
    const engine = memoryEngine({ distribution: everyImage, site: 'store-1' })
    const other = memoryEngine({ distribution: everyImage, site: 'test-1' })
    const elsewhere: MemoryEngine = {
      ...other,
      observe(scope, signal) {
        asked.push('test-1')
        return other.observe(scope, signal)
      },
    }
    await using daemon = await memoryDaemon({
      environments: ['prod'],
      files: files('1'),
      engines: [engine, elsewhere],
      config: {
        sites: [
          { name: 'store-1', endpoint: 'unix:///run/store-1.sock', environments: ['prod'] },
          { name: 'test-1', endpoint: 'unix:///run/test-1.sock', environments: ['devel'] },
        ],
      },
    })
    await daemon.pass()
    expect(asked).to.deep.equal([])
    expect([engine, other].map(runningOn)).to.deep.equal([['web:1'], []])
  })

  it('G17 does nothing while none answers, and says so of each', async () => {
    const { sites, daemon } = await stores(nobody, nobody)
    await using _daemon = daemon
    await daemon.pass()
    expect(told(daemon)).to.deep.equal(['unreachable', 'store-1 is unreachable', 'store-2 is unreachable'])
    expect(sites.flatMap(({ done }) => done)).to.deep.equal([])
  })
})

/** Two stores that one daemon looks after, and why they do not answer. */
async function stores(...silent: readonly Failure[]) {
  const parts: MemoryEngineParts = { distribution: everyImage }
  const sites = [
    memoryEngine({ ...parts, site: 'store-1' }),
    memoryEngine({ ...parts, site: 'store-2' }),
  ] as const
  const [first, other] = silent
  let refusal = first
  let failure: Failure | undefined
  const engines = sites.map(
    (site): MemoryEngine => ({
      ...site,
      async observe(scope, signal) {
        const why = site === sites[0] ? refusal : other
        if (why !== undefined) throw why
        return site.observe(scope, signal)
      },
      async execute(step, provenance, signal, note) {
        if (step.do === 'await-healthy' && site === sites[0] && failure !== undefined) {
          const { image = '' } = site.has().containers.get(step.container) ?? {}
          if (image.endsWith(':2')) throw failure
        }
        return site.execute(step, provenance, signal, note)
      },
    }),
  )
  const config = {
    sites: sites.map(({ site }) => ({ name: site, endpoint: `unix:///run/${site}.sock` })),
  }
  return {
    sites,
    daemon: await memoryDaemon({ environments: ['prod'], files: files('1'), engines, config }),
    /** Why the first one does not answer from now on. */
    refuse(why: Failure | undefined) {
      refusal = why
    },
    /** Why the second version does not get healthy on the first one from now on. */
    fail(reason: Failure | undefined) {
      failure = reason
    },
  }
}

/** How the last pass ended, and what went wrong in it where. */
function told(daemon: MemoryDaemon): readonly string[] {
  return daemon
    .results()
    .flatMap(({ outcome, errors, unreachable = [] }) => [
      outcome,
      ...unreachable.map(({ resource = '' }) => `${resource} is unreachable`),
      ...errors.map(({ resource = '', code }) => `${resource} ${code}`),
    ])
}
