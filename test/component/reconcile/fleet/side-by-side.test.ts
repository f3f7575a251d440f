import { expect } from 'chai'
import { Failure } from '../../../../lib/errors.ts'
import type { DeploymentStatus } from '../../../../lib/reconcile/status/deployment/deployment-status.ts'
import type { Files } from '../../../support/builders/snapshot.ts'
import { refused } from '../../../support/failures/refused.ts'
import { everyImage, memoryDaemon } from '../../../support/memory/memory-daemon.ts'
import { memoryEngine } from '../../../support/memory/memory-engine.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'
import { Fleet, minute, sites } from './scene.ts'

const canary = 'deploy-to-sites: {canary-sites: {match-site-labels: try}, canary-healthy-time: 1m}'

const deployment = (application: string, strategy: string) =>
  `name: ${application}\napplication: ${application}\nplacement: {match-site-labels: system/type = edge}\n${strategy}\n`

const manifest = (tags: Readonly<Record<string, string>>) =>
  JSON.stringify({
    services: Object.entries(tags).map(([name, dockerTag]) => ({
      name,
      containers: [{ dockerName: `registry.example.com/${name}`, dockerTag }],
    })),
    skipConfirmation: true,
  })

describe('two deployments on the same sites', () => {
  const both = (shop: string, blog: string): Files => ({
    'environments/prod/manifest.json': manifest({ shop, blog }),
    'deployments/shop.yaml': deployment('shop', canary),
    'deployments/blog.yaml': deployment('blog', canary),
  })

  /** What runs of both on each site: `2+1`. */
  const runs = (fleet: Fleet) =>
    ['a', 'b', 'c', 'd'].map(site =>
      [...(fleet.engines.get(site)?.has().containers.values() ?? [])]
        .filter(({ state }) => state === 'running')
        .map(({ image }) => /([a-z]+:\d)$/.exec(image)?.[1])
        .sort()
        .join('+'),
    )

  async function deployments(fleet: Fleet): Promise<readonly DeploymentStatus[]> {
    const [environment] = await fleet.daemon.ask('GET /api/v1/environments')
    return environment.deployments
  }

  /** Waits until both are in one of these states, while the healthy times pass. */
  const until = (fleet: Fleet, states: readonly string[]) =>
    waitUntil(states.join(' and '), async () => {
      await fleet.daemon.pass()
      const now = await deployments(fleet)
      if (now.some(({ state }) => state === 'proving')) fleet.nowMs += minute
      return (
        now
          .map(({ state }) => state)
          .sort()
          .join() === states.join() && now
      )
    })

  it('A31 A33 try their versions on one canary at once: one that fails there ends, and the other goes on', async () => {
    await using fleet = await Fleet.start(both('1', '1'))
    await until(fleet, ['done', 'done'])
    fleet.failing = 'c'
    fleet.commit(both('2', '2'))
    const [failed, other] = (await until(fleet, ['aborted', 'done'])).toSorted((one, two) =>
      one.state.localeCompare(two.state),
    )
    expect(failed?.reason).to.match(/^failed on c: /)
    const tags = [`${failed?.application}:1`, `${other?.application}:2`].sort().join('+')
    await waitUntil('the canary has what it had', () => runs(fleet).every(one => one === tags))
    fleet.commit(both('3', '3'))
    await until(fleet, ['done', 'done'])
    expect(runs(fleet)).to.deep.equal(Array.from({ length: 4 }, () => 'blog:3+shop:3'))
  })
})

describe('one deployment in two environments on the same sites', () => {
  const files = (tag: string): Files => ({
    'environments/prod/manifest.json': manifest({ shop: tag }),
    'environments/devel/manifest.json': manifest({ shop: tag }),
    'deployments/shop.yaml': deployment('shop', 'deploy-to-sites: {sites-in-parallel: 1}'),
  })

  it('A33 D17 runs apart: one that fails ends in its environment only, and a word has to say which is meant', async () => {
    let isBad = false
    const engines = ['a', 'b'].map(site => {
      const engine = memoryEngine({ distribution: everyImage, site })
      return {
        ...engine,
        // As an engine does, it tells each environment of its own containers.
        observe: async (...asked: Parameters<typeof engine.observe>) => {
          const live = await engine.observe(...asked)
          const [{ environment }] = asked
          return {
            ...live,
            containers: live.containers.filter(({ engineName }) => engineName.startsWith(`${environment}.`)),
          }
        },
        execute: async (...asked: Parameters<typeof engine.execute>) => {
          const [step, { environment }] = asked
          if (isBad && step.do === 'await-healthy' && environment === 'prod')
            throw new Failure('exited-early', 'exited with code 1')
          return engine.execute(...asked)
        },
      }
    })
    await using daemon = await memoryDaemon({
      environments: ['prod', 'devel'],
      files: files('1'),
      engines,
      config: { sites: sites.slice(0, 2) },
    })
    const states = (wanted: string) =>
      waitUntil(wanted, async () => {
        await Promise.all([daemon.pass('prod'), daemon.pass('devel')])
        const all = await daemon.ask('GET /api/v1/environments')
        const told = all.map(
          ({ environment, deployments = [] }: { environment: string; deployments?: DeploymentStatus[] }) =>
            `${environment} ${deployments.map(({ version, state, sites }) => `${version} ${state} ${sites.done}`)}`,
        )
        return told.sort().join(', ') === wanted
      })
    await states('devel 1 done 2, prod 1 done 2')
    isBad = true
    daemon.commit(files('2'), '2'.repeat(40))
    await states('devel 2 done 2, prod 2 aborted 0')
    expect(await refused(daemon.ask('POST /api/v1/resume', { application: 'shop' }))).to.match(
      /^wrong-usage: /,
    )
    isBad = false
    await daemon.ask('POST /api/v1/resume', { application: 'shop', environment: 'prod' })
    await states('devel 2 done 2, prod 2 done 2')
  })
})
