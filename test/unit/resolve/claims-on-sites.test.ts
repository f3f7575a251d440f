import { expect } from 'chai'
import { formatProblem } from '../../../lib/errors.ts'
import { type ResolveContext, resolve } from '../../../lib/resolve.ts'
import { anySecrets } from '../../../lib/spec/any-secrets.ts'
import { strictPolicy } from '../../../lib/spec/policy/policy.ts'
import { variantFor } from '../../../lib/state/application/desired.ts'
import { gateAlias, type Route } from '../../../lib/state/application/ingress/route.ts'
import { labelsOf } from '../../../lib/state/fleet/labels.ts'
import { validateRepository } from '../../../lib/validate/repository.ts'
import { type Files, snapshotOf } from '../../support/builders/snapshot.ts'
import { settings } from '../ingress/parts.ts'

describe('what applications claim that are on different sites', () => {
  it('D19 A20 is in nobody’s way: a port, a route, a certificate and a name of each', async () => {
    const all = [publishing('a', 'ports: ["8080:80"]'), publishing('b', 'ports: ["8080:80"]')]
    expect(await said(both(all))).to.deep.equal({ blocked: [], goOn: ['a', 'b'] })
    const routed = [routing('a', '{port: 80, tls: auto}'), routing('b', '{port: 80, tls: internal}')]
    expect(await said(both(routed), { ingress })).to.deep.equal({ blocked: [], goOn: ['a', 'b'] })
    const named = [sharing('a'), sharing('b')]
    expect(await said(both(named))).to.deep.equal({ blocked: [], goOn: ['a', 'b'] })
  })

  it('D19 A20 G13 blocks the later one where a site is to have both, and names such a site', async () => {
    const files = {
      ...publishing('a', 'ports: ["8080:80"]'),
      ...publishing('b', 'ports: ["8080:80"]'),
      ...deployment('a', 'system/type = edge'),
      ...deployment('b', 'system/type = control-tower or system/name = south'),
    }
    expect(await said(files)).to.deep.equal({
      goOn: ['a'],
      blocked: [
        'applications/b.yaml:4:50: b claims host port 8080, which a (applications/a.yaml:4) claims on south, too (port-claimed)',
      ],
    })
  })

  it('D19 P33 A20 leaves requests to nobody where a site is to have both, and to each of the others', async () => {
    const files = {
      ...routing('a', '{port: 80}'),
      ...routing('b', '{port: 80}'),
      ...routing('c', '{port: 80}'),
      ...deployment('a', 'system/name = north'),
      ...deployment('b', 'system/name = north or system/name = south'),
      ...deployment('c', 'system/type = control-tower'),
    }
    expect(await said(files, { ingress })).to.deep.equal({
      goOn: ['c'],
      blocked: [
        'applications/a.yaml:5:15: a claims shop.example/, which b (applications/b.yaml:5) claims on north, too (route-taken)',
        'applications/b.yaml:5:15: b claims shop.example/, which a (applications/a.yaml:5) claims on north, too (route-taken)',
      ],
    })
  })

  it('D19 A20 counts an application without a deployment on all sites, and names none where both are on all', async () => {
    const files = { ...publishing('a', 'ports: ["8080:80"]'), ...publishing('b', 'ports: ["8080:80"]') }
    const problem =
      'applications/b.yaml:4:50: b claims host port 8080, which a (applications/a.yaml:4) claims'
    expect(
      (await said({ ...files, ...deployment('b', 'system/type = control-tower') })).blocked,
    ).to.deep.equal([`${problem} on tower, too (port-claimed)`])
    expect((await said({ ...files, ...deployment('b', 'system/name') })).blocked).to.deep.equal([
      `${problem}, too (port-claimed)`,
    ])
    expect((await said({ ...files, ...deployment('b', 'not system/name') })).blocked).to.deep.equal([])
  })

  it('D19 P33 on each site, the first one decides which certificate a host has there', async () => {
    const files = {
      ...routing('a', '{path: /a, port: 80, tls: auto}'),
      ...routing('b', '{path: /b, port: 80, tls: internal}'),
      ...routing('c', '{path: /c, port: 80, tls: internal}'),
      ...deployment('a', 'system/name = north'),
      ...deployment('b', 'system/name = south'),
      ...deployment('c', 'system/type = edge'),
    }
    expect((await said(files, { ingress })).blocked).to.deep.equal([
      'applications/c.yaml:5:15: c claims tls internal for shop.example, which a (applications/a.yaml:5) claims as tls auto for shop.example on north, too (certificate-claimed)',
    ])
  })

  it('D19 A25 counts the sites of a placement that is kept, whatever their labels say by now', async () => {
    const files = both([publishing('a', 'ports: ["8080:80"]'), publishing('b', 'ports: ["8080:80"]')])
    const kept = (site: string) => ({
      ...known(),
      kept:
        () =>
        ({ application }: { readonly application: string }) =>
          application === 'a' ? [site] : [],
    })
    expect((await said(files, { sites: () => kept('north') })).blocked).to.deep.equal([])
    expect((await said(files, { sites: () => kept('tower') })).blocked).to.deep.equal([
      'applications/b.yaml:4:50: b claims host port 8080, which a (applications/a.yaml:4) claims on tower, too (port-claimed)',
    ])
    expect((await said(files, { sites: () => kept('gone') })).blocked).to.deep.equal([])
  })

  it('P33 A20 reserves the ports of the ingress where something has a route', async () => {
    const listeners = () => ({ http: { port: 80, addresses: [] }, https: { port: 443, addresses: [] } })
    const files = { ...routing('a', '{port: 80}'), ...publishing('b', 'ports: ["80:80"]') }
    const reach = { ingress: { ...ingress, listeners } }
    expect((await said({ ...files, ...apart() }, reach)).blocked).to.deep.equal([])
    expect((await said({ ...files, ...deployment('a', 'system/type = edge') }, reach)).blocked).to.deep.equal(
      [
        'applications/b.yaml:4:50: b claims host port 80, which the ingress (/ingress/http in tallyman.yaml) claims on north, too (port-claimed)',
      ],
    )
  })

  it('P33 A20 reserves the ports of the ingress of another environment on the sites of both', async () => {
    const neighbours = (...sites: readonly string[]) => ({
      ingress: {
        ...ingress,
        neighbours: () => [
          {
            ...{ environment: 'test', sites },
            listeners: { http: { port: 80, addresses: [] }, https: { port: 443, addresses: [] } },
          },
        ],
      },
    })
    const files = {
      ...publishing('b', 'ports: ["80:80"]'),
      ...deployment('b', 'system/type = control-tower'),
    }
    expect((await said(files, neighbours('north', 'south'))).blocked).to.deep.equal([])
    expect((await said(files, neighbours('north', 'tower'))).blocked).to.deep.equal([
      'applications/b.yaml:4:50: b claims host port 80, which the ingress of test (/ingress in tallyman.yaml) claims on tower, too (port-claimed)',
    ])
  })

  it('P33 A20 blocks the ingress for one of another environment only on the sites that are to have both', async () => {
    const rivalOn = (...sites: readonly string[]): Partial<ResolveContext> => {
      const problem = { code: 'port-claimed', message: 'prod has it' } as const
      const read = { state: 'usable', settings: settings({}) } as const
      return {
        ingress: {
          ...ingress,
          make: { read, loaded: [], rivals: [{ sites, problem }] },
        },
      }
    }
    const files = { ...routing('a', '{port: 80}'), ...deployment('a', 'system/type = edge') }
    const taken = async (given: Files, ...sites: readonly string[]) => {
      const { blocked, applications, ingressTaken } = await resolved(given, rivalOn(...sites))
      expect(blocked).to.deep.equal([])
      expect(applications.map(({ name }) => name)).to.deep.equal(['a', 'tallyman-ingress'])
      return [...(ingressTaken ?? [])].map(([site, { message }]) => `${site}: ${message}`)
    }
    expect(await taken(files, 'tower')).to.deep.equal([])
    expect(await taken(files, 'tower', 'south')).to.deep.equal(['south: prod has it'])
    const everywhere = routing('a', '{port: 80}')
    expect(await taken(everywhere, 'tower')).to.deep.equal(['tower: prod has it'])
  })

  it('D15 A20 keeps what is loaded of a blocked application from others where it is loaded, and nowhere else', async () => {
    const route = (application: string): Route => ({
      ...{ application, service: application, host: 'shop.example', path: '/' },
      ...{ alias: gateAlias(application, application), port: 80, tls: 'off', holdMs: 5_000 },
    })
    const reach = {
      ingress: {
        ...ingress,
        make: {
          read: { state: 'unusable', problem: { code: 'config-invalid', message: 'no key' } },
          loaded: [
            { sites: ['north', 'south'], routes: [route('a')] },
            { sites: ['tower'], routes: [route('b')] },
          ],
          rivals: [],
        },
      },
    } as const
    const files = {
      ...{ 'applications/a.yaml': 'name: a\nservices: 7\n' },
      ...routing('b', '{port: 80}'),
      ...routing('c', '{port: 80}'),
      ...apart(),
    }
    const blocked = async (c: string) => (await said({ ...files, ...deployment('c', c) }, reach)).blocked
    const [first] = await blocked('not system/name')
    expect(first).to.match(/^applications\/a.yaml:2:11: /)
    expect((await blocked('system/name = south')).slice(1, 2)).to.deep.equal([
      'applications/c.yaml:5:15: c claims shop.example/, which a (as it was loaded before it was blocked) claims on south, too (route-taken)',
    ])
  })

  it('A70 D19 judges a site that differs by itself, and all others without it', async () => {
    const files = {
      ...publishing('a', 'ports: ["8080:80"]'),
      ...publishing('b', 'ports: ["8080:80"]'),
      ...deployment('a', 'system/type = edge'),
      ...deployment('b', 'system/type = control-tower or system/name = south'),
    }
    const moved = publishing('b', 'ports: ["9090:80"]')['applications/b.yaml'] ?? ''
    const onSite = (site: string, name: string, text: string) => ({
      [`environments/prod/sites/${site}/applications/${name}.yaml`]: text,
    })
    const blockedIn = async (more: Files) => {
      const desired = await resolved({ ...files, ...more })
      return ['north', 'south', 'tower'].map(site =>
        variantFor(desired, site).blocked.flatMap(({ problems }) => problems.map(({ message }) => message)),
      )
    }
    expect(await blockedIn(onSite('south', 'b', moved))).to.deep.equal([[], [], []])
    const meeting = publishing('b', 'ports: ["7070:80"]')['applications/b.yaml'] ?? ''
    const other = {
      ...deployment('b', 'system/type = control-tower'),
      ...publishing('a', 'ports: ["7070:80"]'),
    }
    expect(await blockedIn({ ...other, ...onSite('tower', 'b', meeting) })).to.deep.equal([[], [], []])
    const everywhere = { ...other, ...deployment('a', 'system/name') }
    expect(await blockedIn({ ...everywhere, ...onSite('tower', 'b', meeting) })).to.deep.equal([
      [],
      [],
      ['b claims host port 7070, which a (applications/a.yaml:4) claims on tower, too'],
    ])
  })

  it('A20 validate fails nothing that a daemon may accept where nobody knows the sites, and warns with both places', async () => {
    const files = both([publishing('a', 'ports: ["8080:80"]'), publishing('b', 'ports: ["8080:80"]')])
    const found = async (given: Files, more: Partial<ResolveContext>) => {
      const { problems, warnings } = await validateRepository(snapshotWith(given), { ...anybody, ...more })
      return { problems: problems.map(formatProblem), warnings: warnings.map(formatProblem) }
    }
    const warning =
      'applications/b.yaml:4:50: b claims host port 8080, which a (applications/a.yaml:4) claims, too; that is an error where a site is to have both, and nobody knows the sites here (port-claimed)'
    expect(await found(files, {})).to.deep.equal({ problems: [], warnings: [warning] })
    expect(await found(files, { sites: known })).to.deep.equal({ problems: [], warnings: [] })
    expect(await found({ ...files, ...deployment('b', 'system/type = edge') }, {})).to.deep.equal({
      problems: [],
      warnings: [warning],
    })
    expect(await found({ ...files, ...deployment('b', 'not system/name') }, {})).to.deep.equal({
      problems: [],
      warnings: [],
    })
    const none = { here: new Map(), elsewhere: new Set(['north']) }
    expect(await found(files, { sites: () => none }), 'sites of another operator').to.deep.equal({
      problems: [],
      warnings: [warning],
    })
    const everywhere = {
      ...files,
      'deployments/b.yaml': 'name: b\napplication: b\nplacement: {all-sites: true}\n',
      'deployments/a.yaml': 'name: a\napplication: a\nplacement: {all-sites: true}\n',
    }
    expect((await found(everywhere, {})).problems).to.deep.equal([
      'applications/b.yaml:4:50: b claims host port 8080, which a (applications/a.yaml:4) claims, too (port-claimed)',
    ])
  })
})

const ingress = { pool: '10.201.0.0/16', holdMs: 5_000 }

function known() {
  const here = new Map(
    ['north', 'south', 'tower'].map(name => {
      const type = name === 'tower' ? 'control-tower' : 'edge'
      return [
        name,
        labelsOf([
          ['system/name', name],
          ['system/type', type],
        ]),
      ] as const
    }),
  )
  return { here, elsewhere: new Set<string>() }
}

const anybody: ResolveContext = {
  source: 'https://git.example.com/ops/manifests',
  policy: strictPolicy,
  healthyMs: 10_000,
  sandboxImage: 'busybox:stable',
  secrets: anySecrets,
}

function snapshotWith(files: Files) {
  const manifest = '{"services": [{"name": "a"}, {"name": "b"}, {"name": "c"}]}'
  const named = JSON.parse(manifest).services.filter(
    ({ name }: { readonly name: string }) => `applications/${name}.yaml` in files,
  )
  return snapshotOf({ 'environments/prod/manifest.json': JSON.stringify({ services: named }), ...files })
}

function resolved(files: Files, more: Partial<ResolveContext> = {}) {
  const place = { name: 'prod', directory: 'environments/prod' }
  return resolve(snapshotWith(files), place, { ...anybody, sites: known, ...more })
}

/** What a daemon with the sites north and south, which are edges, and tower says. */
async function said(files: Files, more: Partial<ResolveContext> = {}) {
  const desired = await resolved(files, more)
  const own = desired.blocked.filter(({ application }) => application !== 'tallyman-ingress')
  return {
    goOn: desired.applications.map(({ name }) => name),
    blocked: own.flatMap(({ problems }) => problems.map(formatProblem)),
  }
}

function publishing(name: string, keys: string, more = ''): Record<string, string> {
  return {
    [`applications/${name}.yaml`]: `name: ${name}
services:
  - name: ${name}
    containers: [{name: web, image: web, ${keys}}]
${more}`,
  }
}

function routing(name: string, route: string): Files {
  return publishing(name, 'cpus: 1', `    ingress: [${route.replace('{', '{host: shop.example, ')}]\n`)
}

function sharing(name: string): Files {
  return {
    [`applications/${name}.yaml`]: `name: ${name}
network: {shared-application-network: backbone}
services: [{name: api, containers: [{name: app, image: app}]}]
`,
  }
}

function deployment(application: string, expression: string): Files {
  const placement = `{match-site-labels: ${expression}}`
  return {
    [`deployments/${application}.yaml`]: `name: ${application}\napplication: ${application}\nplacement: ${placement}\n`,
  }
}

/** `a` is on the edges, and `b` on the tower. */
function apart(): Files {
  return { ...deployment('a', 'system/type = edge'), ...deployment('b', 'system/type = control-tower') }
}

function both(applications: readonly Files[]): Files {
  return Object.assign({}, ...applications, apart())
}
