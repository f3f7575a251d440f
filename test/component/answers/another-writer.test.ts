import { expect } from 'chai'
import { rollback } from '../../../lib/answers/rollback.ts'
import { forceUpgrade } from '../../../lib/answers/upgrade.ts'
import type { Engine } from '../../../lib/engine.ts'
import { Failure } from '../../../lib/errors.ts'
import { routes } from '../../../lib/http/requests.ts'
import type { Journal } from '../../../lib/journal/journal.ts'
import { refused } from '../../support/failures/refused.ts'
import { ann, keepVersions, memoryAudience, memorySubject } from '../../support/memory/memory-audience.ts'
import { everyImage, manifestOf, memoryDaemon } from '../../support/memory/memory-daemon.ts'
import { memoryEngine } from '../../support/memory/memory-engine.ts'

const deployment = { name: 'web-everywhere', application: 'web', placement: { 'all-sites': true } }
const files = {
  ...manifestOf('prod', { web: '1', api: '1' }),
  'environments/prod/deployments/web-everywhere.json': JSON.stringify({
    ...deployment,
    'deploy-to-sites': { 'sites-in-parallel': 1 },
  }),
}
const web = { application: 'web' }

/** Everything that can be asked to be changed, about something that is there. A new request has to be entered here. */
const words: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  '/api/v1/plans/:id/approve': {},
  '/api/v1/plans/:id/discard': {},
  '/api/v1/reconcile': {},
  '/api/v1/suspend': { reason: 'moving' },
  '/api/v1/resume': web,
  '/api/v1/retry': web,
  '/api/v1/rollback': { ...web, to: '1' },
  '/api/v1/drain': { site: 'store-1' },
  '/api/v1/undrain': { site: 'store-1' },
  '/api/v1/pause': { deployment: 'web-everywhere' },
  '/api/v1/abort': { deployment: 'web-everywhere' },
  '/api/v1/redeploy': { deployment: 'web-everywhere' },
  '/api/v1/force-upgrade': {},
  '/api/v1/force-upgrade/question': {},
  '/api/v1/delete-upgrade': web,
}
/** The same about something that nobody knows. */
const unknown: typeof words = {
  '/api/v1/suspend': { reason: 'moving', application: 'shop' },
  '/api/v1/resume': { application: 'shop' },
  '/api/v1/retry': { application: 'shop' },
  '/api/v1/rollback': { application: 'shop' },
  '/api/v1/pause': { deployment: 'shop' },
  '/api/v1/abort': { deployment: 'shop' },
  '/api/v1/redeploy': { deployment: 'shop' },
  '/api/v1/delete-upgrade': { application: 'shop' },
}
/** The same about the site that does not answer, as far as it can be about one. */
const onlySilent: typeof words = {
  '/api/v1/drain': { site: 'store-2' },
  '/api/v1/undrain': { site: 'store-2' },
  '/api/v1/force-upgrade': { site: ['store-2'] },
  '/api/v1/force-upgrade/question': { site: ['store-2'] },
  '/api/v1/delete-upgrade': { ...web, site: ['store-2'] },
}
const posts = routes.filter(({ method }) => method === 'POST').map(({ url }) => url)

describe('a word to a daemon that only observes', () => {
  it('D17 is refused with who writes, whatever it is, and leaves no trace', async () => {
    await using scene = await stores(['store-1', 'store-2'])
    const before = recordedIn(scene.daemon.journal)
    for (const url of posts) {
      const asked = scene.daemon.ask(`POST ${url.replace(':id', 'aaaa000000000001')}`, words[url])
      expect(await refused(asked), url).to.match(
        /^another-writer: another tallyman runs prod here; this one only observes$/,
      )
    }
    expect(recordedIn(scene.daemon.journal)).to.deep.equal(before)
  })

  it('D17 is refused all the same while it does not reach all sites, whatever it knows of what is meant', async () => {
    await using scene = await stores(['store-1'], ['store-2'])
    const before = recordedIn(scene.daemon.journal)
    for (const url of posts)
      for (const about of [words[url], unknown[url], onlySilent[url]].filter(one => one !== undefined)) {
        const asked = scene.daemon.ask(`POST ${url.replace(':id', 'aaaa000000000001')}`, about)
        expect(await refused(asked), `${url} ${JSON.stringify(about)}`).to.match(
          /^another-writer: another tallyman runs prod here; this one only observes$/,
        )
      }
    expect(recordedIn(scene.daemon.journal)).to.deep.equal(before)
  })

  it('D17 G13 about what is not there is told that, while nobody else is known to write', async () => {
    await using scene = await stores([], ['store-2'])
    for (const [url, about] of Object.entries(unknown))
      expect(await refused(scene.daemon.ask(`POST ${url}`, about)), url).to.match(/^wrong-usage: /)
  })

  it('D17 is heard in the other environments, and it is said where not', async () => {
    await using daemon = await memoryDaemon({
      environments: ['prod', 'devel'],
      files: { ...files, ...manifestOf('devel', { web: '1' }) },
      rivalIn: ['prod'],
    })
    await daemon.pass()
    const reason = 'another tallyman runs prod here; this one only observes'
    expect(await daemon.ask('POST /api/v1/reconcile')).to.deep.equal({
      requested: 1,
      left: [{ site: 'local', reason }],
    })
    const suspend = (environment: string) =>
      daemon.ask('POST /api/v1/suspend', { environment, reason: 'moving' })
    expect(await refused(suspend('prod'))).to.equal(`another-writer: ${reason}`)
    expect(await suspend('devel')).to.deep.equal({ suspended: 'devel' })
    const approve = daemon.ask('POST /api/v1/plans/aaaa000000000001/approve')
    expect(await refused(approve)).to.match(
      /^plan-changed: plan \w+ does not wait for an answer; .*; another tallyman runs prod here; this one only observes$/,
    )
  })

  it('D17 is heard where an engine does not answer: nobody else is known to write there', async () => {
    await using daemon = await memoryDaemon({
      files,
      engine: silentEngine({ distribution: everyImage }),
    })
    await daemon.pass()
    expect(await daemon.ask('POST /api/v1/suspend', { reason: 'moving' })).to.deep.equal({
      suspended: 'prod',
    })
  })

  it('D17 keeps nobody from asking how things stand', async () => {
    await using scene = await stores(['store-1', 'store-2'])
    const [status] = await scene.daemon.ask('GET /api/v1/environments')
    expect(status.environment).to.equal('prod')
    for (const url of ['/api/v1/environments/prod/plan', '/api/v1/sites', '/api/v1/ingress', '/metrics'])
      await scene.daemon.ask(`GET ${url}`)
  })

  it('D17 is heard once the other one has ended, without waiting for the next poll', async () => {
    const rivals = ['store-1', 'store-2']
    await using scene = await stores(rivals)
    rivals.length = 0
    expect(await scene.daemon.ask('POST /api/v1/suspend', { reason: 'moving' })).to.deep.equal({
      suspended: 'prod',
    })
  })
})

describe('what is known of a site on which another process writes', () => {
  const elsewhere = new Map([['edge', new Failure('another-writer', 'node-2 writes')]])
  const left = [{ site: 'edge', reason: 'node-2 writes' }]
  const closed = {
    provider: [{ days: [], startMinutes: 10 * 60, zone: 'UTC', durationMs: 3_600_000 }],
    owner: [],
  }
  /** `web` runs 1 on `edge` and waits for 2 there, as it was before another process came. */
  const scene = () => {
    const subject = memorySubject('prod', undefined, new Map([['edge', closed]]))
    const audience = memoryAudience(subject)
    keepVersions(audience, '2', '3', '4')
    const seen = { application: 'web', site: 'edge', version: '1', running: 1 }
    const queue = [{ version: '2', state: 'next' }]
    audience.journal.keepState('prod', 'edge', { applications: [{ ...seen, queue }] }, 1)
    subject.rival(elsewhere)
    return audience
  }

  it('D17 A66 is no version that waits', async () => {
    const audience = scene()
    expect(await forceUpgrade(audience, ann, {})).to.deep.equal({ forced: [], left })
    expect(audience.journal.queueWords('prod', 'edge')).to.deep.equal([])
  })

  it('D17 A66 is no window that is closed, and no version that was never reached', async () => {
    const audience = scene()
    const answer = await rollback(audience, ann, { application: 'web', outsideWindow: true })
    expect(answer).to.deep.include({ version: '3', left })
    expect(answer).not.to.have.property('outsideWindow')
    expect(audience.journal.queueWords('prod', 'edge')).to.deep.equal([])
  })
})

describe('a word to a daemon that writes on some of the sites', () => {
  const left = [{ site: 'store-1', reason: 'another tallyman runs prod here; this one only observes' }]
  const aboutAll = posts.filter(url => !/drain|plans|upgrade/.test(url))

  it('D17 counts there, and is told on which sites it has no effect', async () => {
    for (const url of aboutAll) {
      await using scene = await stores(['store-1'])
      await scene.daemon.pass()
      scene.keepVersion()
      const answer = await scene.daemon.ask(`POST ${url}`, words[url])
      expect(answer.left, url).to.deep.equal(left)
    }
  })

  it('D17 is refused if it is about an application that is placed on other sites only', async () => {
    await using scene = await stores(['store-1'])
    const { deployment: placed, canaries = [] } =
      scene.daemon.journal.placements('prod').get('web-everywhere') ?? {}
    if (placed === undefined) throw new Error('it was placed')
    scene.daemon.journal.setPlacement('prod', { deployment: placed, sites: ['store-1'], canaries })
    const suspend = (application: string) =>
      scene.daemon.ask('POST /api/v1/suspend', { application, reason: 'moving' })
    expect(await refused(suspend('web'))).to.match(/^another-writer: /)
    expect(await suspend('api')).to.include({ suspended: 'api' })
  })

  it('D17 is refused if it is about a site on which another one writes', async () => {
    await using scene = await stores(['store-1'])
    for (const [verb, site] of [
      ['drain', 'store-1'],
      ['undrain', 'store-1'],
      ['force-upgrade', ['store-1']],
    ] as const) {
      const answer = scene.daemon.ask(`POST /api/v1/${verb}`, { site })
      expect(await refused(answer), verb).to.match(/^another-writer: /)
    }
    expect(scene.daemon.journal.answers({ limit: 10 })).to.deep.equal([])
  })
})

/** All that a word may write. */
function recordedIn(journal: Journal): unknown {
  return [
    journal.answers({ limit: 10 }),
    journal.suspensions('prod', 0),
    journal.heldVersions('prod'),
    ['store-1', 'store-2'].flatMap(site => [
      journal.approvals('prod', site, 0),
      journal.queueWords('prod', site),
    ]),
    [...journal.placements('prod').values()],
    journal.run('prod', 'web'),
  ]
}

function silentEngine(given: Parameters<typeof memoryEngine>[0]): Engine {
  const engine = memoryEngine(given)
  const info = () => Promise.reject(new Failure('engine-unreachable', `${engine.site}: does not answer`))
  return { ...engine, info }
}

/** Two stores with a deployment of `web`. */
async function stores(rivalOn: readonly string[], silentOn: readonly string[] = []) {
  const engines = ['store-1', 'store-2'].map(site =>
    (silentOn.includes(site) ? silentEngine : memoryEngine)({ site, distribution: everyImage }),
  )
  const daemon = await memoryDaemon({
    files,
    engines,
    rivalOn,
    config: { sites: engines.map(({ site }) => ({ name: site, endpoint: `unix:///run/${site}.sock` })) },
  })
  await daemon.pass()
  return {
    daemon,
    keepVersion: () =>
      daemon.journal.keepVersion({
        ...{ environment: 'prod', application: 'web', version: '1', commit: '1'.repeat(40) },
        ...{ mark: '1', images: [], atMs: 1 },
      }),
    [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose](),
  }
}
