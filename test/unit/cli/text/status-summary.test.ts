import { expect } from 'chai'
import { printed } from '../../../../lib/cli/output/printed.ts'
import { onSites } from '../../../../lib/cli/text/status/on-sites.ts'
import { statusLines } from '../../../../lib/cli/text/status/status-text.ts'
import { catalogue } from '../../../../lib/errors/catalogue.ts'
import type { Failure } from '../../../../lib/errors.ts'
import type { ApplicationStatus } from '../../../../lib/reconcile/status/application/application-status.ts'
import type { StatusDocument } from '../../../../lib/reconcile/status/status-document.ts'

const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l']

function shopOn(site: string, parts: Partial<ApplicationStatus> = {}): ApplicationStatus {
  return {
    ...{
      site,
      application: 'shop',
      sync: 'Synced',
      health: 'Healthy',
      version: '1.0',
      running: 2,
      wanted: 2,
    },
    ...{ commit: 'c0ffee0000000000000000000000000000000000', reason: '', ...parts },
  }
}

function prod(parts: Partial<StatusDocument>): StatusDocument {
  return {
    ...{ environment: 'prod', daemon: true, sync: 'Synced', suspensions: [], errors: [], applications: [] },
    ...{ ingress: [], engines: [], ...parts },
  }
}

function linesOf(environment: StatusDocument, every = false): readonly string[] {
  return printed(statusLines(environment, 0, every), false)
    .split('\n')
    .slice(1)
    .filter(line => line !== '')
}

const hint = '  told once for all sites that are alike; --site NAME shows one, --all shows all'

describe('the status of many sites', () => {
  it('G13 tells rows that read the same once, with the number of sites, and what is not well first', () => {
    const applications = names.map(site =>
      shopOn(
        site,
        site === 'k' || site === 'l'
          ? {
              sync: 'OutOfSync',
              health: 'Degraded',
              reason: 'it crashed',
              since: `2026-01-01T00:00:0${site === 'k' ? 2 : 1}Z`,
            }
          : {},
      ),
    )
    expect(linesOf(prod({ applications }))).to.deep.equal([
      '  application  site                 sync       health    version  running  commit        reason',
      '  shop         2 sites: k, l        OutOfSync  Degraded  1.0      2/2      c0ffee000000  it crashed (since 2026-01-01T00:00:01Z)',
      '  shop         10 sites: a, b, c …  Synced     Healthy   1.0      2/2      c0ffee000000',
      hint,
    ])
  })

  it('G13 tells before what is well how often it has ended and was started again, the most of those that are alike', () => {
    const restarts = new Map([
      ['k', 6],
      ['l', 41],
    ])
    const applications = names.map(site => {
      const count = restarts.get(site)
      return shopOn(site, count === undefined ? {} : { restarts: count })
    })
    const lines = linesOf(prod({ applications })).map(line => line.trim().replaceAll(/ {2,}/g, '  '))
    expect(lines.slice(1, 3)).to.deep.equal([
      'shop  2 sites: k, l  Synced  Healthy  1.0  2/2  c0ffee000000  (has ended and was started again 41 times)',
      'shop  10 sites: a, b, c …  Synced  Healthy  1.0  2/2  c0ffee000000',
    ])
    const one = linesOf(prod({ applications: [shopOn('k', { restarts: 1 })] }))
    expect(one[1]).to.match(/c0ffee000000 +\(has ended and was started again once\)$/)
  })

  it('G13 shows every row when asked, and with up to ten sites', () => {
    const applications = names.map(site => shopOn(site))
    expect(linesOf(prod({ applications }), true)).to.have.length(13)
    expect(linesOf(prod({ applications: applications.slice(0, 10) }))).to.have.length(11)
  })

  it('G13 tells an error once that reads the same on several sites but for their names', () => {
    const error = (site: string, message: string) =>
      ({
        code: 'exited-early',
        message,
        hint: 'Look at its log.',
        resource: `${site}/shop/web`,
        retry: 'never',
      }) as const
    const errors = [
      ...['a', 'b', 'c', 'd'].map(site => error(site, `shop/web on ${site}: exited with code 1`)),
      error('e', 'shop/web on e: exited with code 2'),
    ]
    const applications = names.map(site => shopOn(site))
    expect(linesOf(prod({ applications, errors })).slice(0, 5)).to.deep.equal([
      '  shop/web on a: exited with code 1 (exited-early)',
      '    on 4 sites: a, b, c …',
      '    hint: Look at its log.',
      '  shop/web on e: exited with code 2 (exited-early)',
      '    hint: Look at its log.',
    ])
    expect(linesOf(prod({ applications, errors }), true).slice(0, 2)).to.deep.equal([
      '  shop/web on a: exited with code 1 (exited-early)',
      '    hint: Look at its log.',
    ])
  })

  it('A34 tells sites once that are unreachable for the same reason, whatever their hosts are called', () => {
    const unreachable = names.map((site, index) => ({
      site,
      since: `2026-01-01T00:00:${30 - index}Z`,
      code: 'engine-unreachable',
      message: `${site}: connect ECONNREFUSED 10.0.0.${index}:2376`,
      hint: 'Start the engine.',
    }))
    const sites = names.map((name, index) => ({
      ...{ name, state: 'unreachable', endpoint: `tcp://10.0.0.${index}:2376`, labels: {} },
    })) as StatusDocument['sites'] & object
    expect(linesOf(prod({ unreachable, sites }))).to.deep.equal([
      '  12 sites: a, b, c … are unreachable, the first since 2026-01-01T00:00:19Z',
      '    a: connect ECONNREFUSED 10.0.0.0:2376 (engine-unreachable)',
      '    hint: Start the engine.',
      hint,
    ])
  })

  it('G13 names the sites once that manage a Swarm of which nobody said what they are', () => {
    const sites = names.map(name => ({
      ...{ name, state: 'reachable', labels: {} },
      ...(name === 'a' || name === 'c' ? { managesSwarm: true } : {}),
    })) as StatusDocument['sites'] & object
    expect(linesOf(prod({ sites }))).to.deep.equal([
      '  2 sites: a, c: the engine manages a Swarm, and is taken for one host: nothing is done on the Swarm (swarm-unused)',
      `    hint: ${catalogue['swarm-unused'].hint}`,
      hint,
    ])
  })

  it('G13 tells ten of the changes that are under way, and when the first silent site was last seen', () => {
    const applications = names.map((site, index) =>
      shopOn(site, index < 2 ? { seenAt: `1970-01-01T00:00:0${2 - index}.000Z` } : {}),
    )
    const changes = names.map(site => `${site}/shop/web`)
    const running = { since: '2026-01-01T00:00:00Z', changes }
    expect(linesOf(prod({ applications, running })).slice(0, 2)).to.deep.equal([
      '  the containers on 2 sites: a, b were last seen at 1970-01-01T00:00:01.000Z (0 s ago) or later',
      `  under way since 2026-01-01T00:00:00Z: ${changes.slice(0, 10).join(', ')} and 2 more`,
    ])
  })

  it('G13 tells routes and ingresses that do not answer once, too', () => {
    const routes = [{ url: 'https://shop.example.com/', service: 'web', admitted: 2, wanted: 2 }]
    const applications = names.map(site => shopOn(site, { routes }))
    const ingress = names.map(site => ({
      site,
      error: { code: 'ingress-unreachable', message: `${site}: the ingress does not answer`, hint: 'Wait.' },
    }))
    expect(linesOf(prod({ applications, ingress })).slice(2)).to.deep.equal([
      '  route                      service   site                 instances that get requests',
      '  https://shop.example.com/  shop/web  12 sites: a, b, c …  2 of 2',
      '  ingress: a: the ingress does not answer (ingress-unreachable)',
      '    on 12 sites: a, b, c …',
      hint,
    ])
  })
})

describe('the routes in the status', () => {
  it('G13 P33 say that they wait for the ingress where it has not loaded them', () => {
    const [url, waits] = ['https://shop.example.com/', { waitsForIngress: true }] as const
    const routes = [
      { url, service: 'web', ...waits, admitted: 0, wanted: 2 },
      { url: `${url}old`, service: 'web', ...waits, redirect: 'https://example.com' },
    ]
    const lines = linesOf(prod({ applications: [shopOn('a', { routes })] }))
    expect(
      lines.filter(line => line.includes(url)).map(line => line.replaceAll(/ {2,}/g, '  ')),
    ).to.deep.equal([
      `  ${url}  shop/web  a  0 of 2: waits for the ingress`,
      `  ${url}old  shop/web  a  none: waits for the ingress, to be sent on to https://example.com`,
    ])
  })
})

describe('the status of chosen sites', () => {
  const error = (message: string, resource?: string) => ({
    ...{ code: 'exited-early', message, hint: '', retry: 'never' as const },
    ...(resource === undefined ? {} : { resource }),
  })
  const environment = prod({
    applications: names.map(site => shopOn(site)),
    errors: [
      error('of a', 'a/shop/web'),
      error('of b', 'b/shop/web'),
      error('of shop', 'shop'),
      error('of all'),
    ],
  })

  it('G13 has their rows, and the errors that concern them', () => {
    const [found] = onSites([environment, prod({ applications: [shopOn('elsewhere')] })], ['b', 'l'])
    expect(found?.applications.map(({ site }) => site)).to.deep.equal(['b', 'l'])
    expect(found?.errors.map(({ message }) => message)).to.deep.equal(['of b', 'of shop', 'of all'])
  })

  it('G13 leaves out environments that run on none of them', () => {
    const other = prod({ environment: 'test', applications: [shopOn('elsewhere')] })
    expect(onSites([environment, other], ['elsewhere'])).to.deep.equal([other])
  })

  it('G13 refuses a name that no site has', () => {
    expect(() => onSites([environment], ['z']))
      .to.throw('there is no site "z"')
      .with.property('code', 'wrong-usage' satisfies Failure['code'])
  })
})
