import { expect } from 'chai'
import { printed } from '../../../lib/cli/output/printed.ts'
import { planJson } from '../../../lib/plan/text/json.ts'
import { renderPlan } from '../../../lib/plan/text/render.ts'
import { round } from '../../../lib/reconcile/round.ts'
import type { PassResult } from '../../../lib/reconcile/site/result/pass-result.ts'
import type { Files } from '../../support/builders/snapshot.ts'
import { everyImage, manifestOf, memoryWorlds } from '../../support/memory/memory-daemon.ts'
import { memoryEngine } from '../../support/memory/memory-engine.ts'

const names = ['east', 'north', 'south', 'west']

/** The plan for `web` and `cache` on four sites, of which some have a manifest of their own. */
async function planFor(onSites: Readonly<Record<string, string>>, more: Files = {}): Promise<PassResult> {
  const files: Files = {
    ...manifestOf('prod', { web: '1', cache: '7' }),
    ...more,
    ...Object.fromEntries(
      Object.entries(onSites).map(([site, text]) => [`environments/prod/sites/${site}/manifest.json`, text]),
    ),
  }
  const engines = names.map(site => memoryEngine({ site, distribution: everyImage }))
  const [world] = memoryWorlds({ files, engines }).worlds
  if (world === undefined) throw new Error('there is one')
  const freshness = { maxAgeMs: 0, lastGood: false }
  return round(world, { trigger: 'command', until: 'plan', freshness }, new AbortController().signal)
}

/** What a plan says, without its first and last line and what is the same for every new container. */
function linesOf(plan: PassResult['plan']): readonly string[] {
  if (plan === undefined) throw new Error('there is no plan')
  const lines = printed(renderPlan(plan), false).split('\n')
  return lines.filter(line => !/^(Plan|No changes)|^ {8}(user|1 image)|^$/.test(line))
}

describe('the plan for sites that differ', () => {
  it('A70 D4 tells once what is the same, and apart what differs', async () => {
    const services = [{ name: 'web', containers: [{ dockerTag: '2' }] }]
    const { plan } = await planFor({ west: JSON.stringify({ services }) })
    expect(linesOf(plan)).to.deep.equal([
      'cache on 4 sites: east, north, south … (--sites lists them)',
      '    + cache.1  not deployed yet',
      '        image: docker.io/library/cache:7@sha256:aaaaaaaaaaaa',
      'web on 3 sites: east, north, south',
      '    + web.1  not deployed yet',
      '        image: docker.io/library/web:1@sha256:aaaaaaaaaaaa',
      'web on west',
      '    + web.1  not deployed yet',
      '        image: docker.io/library/web:2@sha256:aaaaaaaaaaaa',
    ])
  })

  it('A70 D15 tells on which sites an application is blocked', async () => {
    const { plan } = await planFor({ west: '{', north: '{' })
    expect(linesOf(plan).slice(-3)).to.deep.equal([
      'Blocked, nothing of it is touched:',
      '  web on 2 sites: north, west  (json-invalid)',
      '  cache on 2 sites: north, west  (json-invalid)',
    ])
    const file = (site: string) => `environments/prod/sites/${site}/manifest.json`
    expect(
      plan?.blocked.map(({ application, sites, problems: [{ position }] }) => [
        application,
        sites,
        position?.file,
      ]),
    ).to.deep.equal([
      ['web', ['north'], file('north')],
      ['cache', ['north'], file('north')],
      ['web', ['west'], file('west')],
      ['cache', ['west'], file('west')],
    ])
    expect(JSON.stringify(plan && planJson(plan, false, 'Unknown'))).to.include(
      '{"application":"web","sites":["north"],',
    )
  })

  it('A70 D15 names no sites for what is blocked on all of them', async () => {
    const included = Object.fromEntries(names.map(site => [site, '{"includes": ["../../wrong.json"]}']))
    const { plan } = await planFor(included, { 'environments/prod/wrong.json': '{"services": 7}' })
    expect(linesOf(plan)).to.deep.equal([
      'Blocked, nothing of it is touched:',
      '  web  (manifest-invalid)',
      '  cache  (manifest-invalid)',
    ])
    expect(plan?.blocked.map(({ sites }) => sites)).to.deep.equal([undefined, undefined])
  })
})
