import { expect } from 'chai'
import { refused } from '../../support/failures/refused.ts'
import { everyImage, manifestOf, memoryDaemon } from '../../support/memory/memory-daemon.ts'
import { memoryEngine } from '../../support/memory/memory-engine.ts'

describe('a site on which another process writes', () => {
  it('G24 G17 keeps nobody from approving what waits on the other sites, by either id', async () => {
    for (const id of ['waiting', 'joined'] as const) {
      await using scene = await stores()
      const plan = id === 'waiting' ? (await scene.status()).waiting.plan : await scene.joined()
      const answer = await scene.daemon.ask(`POST /api/v1/plans/${plan}/approve`, { who: 'ann' })
      expect(answer).to.include({ approved: plan, changes: 1 })
      await scene.daemon.pass()
      expect(scene.running(), id).to.deep.equal([[], ['web:1']])
    }
  })

  it('G24 is told to who approves the plan of all sites, and none of it is approved there', async () => {
    await using scene = await stores()
    const answer = await scene.daemon.ask(`POST /api/v1/plans/${await scene.joined()}/approve`)
    expect(answer.left).to.deep.equal([
      { site: 'store-1', reason: 'another tallyman runs prod here; this one only observes' },
    ])
    expect(scene.daemon.journal.approvals('prod', 'store-1', Date.now())).to.deep.equal([])
  })

  it('G24 refuses a word on its own plan', async () => {
    await using scene = await stores()
    const [own] = scene.daemon.results()[0]?.parts ?? []
    for (const verb of ['approve', 'discard'])
      expect(await refused(scene.daemon.ask(`POST /api/v1/plans/${own?.plan?.id}/${verb}`))).to.match(
        /^another-writer: another tallyman runs prod here/,
      )
  })

  it('G13 is in the status with what was seen of it, beside the sites that are written here', async () => {
    await using scene = await stores()
    const { applications, errors, outcome } = await scene.status()
    expect(applications.map(({ site, health }: Record<string, string>) => `${site} ${health}`)).to.deep.equal(
      ['store-1 Missing', 'store-2 Missing'],
    )
    expect(errors.map(({ code }: Record<string, string>) => code)).to.deep.equal(['another-writer'])
    expect(outcome).to.equal('needs-confirmation')
  })
})

/** Two stores that wait for `web`; on the first one another process writes. */
async function stores() {
  const engines = ['store-1', 'store-2'].map(site => memoryEngine({ site, distribution: everyImage }))
  const daemon = await memoryDaemon({
    files: manifestOf('prod', { web: '1' }),
    engines,
    rivalOn: ['store-1'],
    config: { sites: engines.map(({ site }) => ({ name: site, endpoint: `unix:///run/${site}.sock` })) },
  })
  await daemon.pass()
  return {
    daemon,
    status: async () => (await daemon.ask('GET /api/v1/environments'))[0],
    /** The id of the plan of both sites. */
    joined: async () => (await daemon.ask('GET /api/v1/environments/prod/plan')).id,
    /** What runs in each store. */
    running: () =>
      engines.map(({ has }) => [...has().containers.values()].map(({ image }) => image.replace(/^.*\//, ''))),
    [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose](),
  }
}
