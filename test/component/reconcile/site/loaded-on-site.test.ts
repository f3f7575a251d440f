import { expect } from 'chai'
import { Failure, type Problem } from '../../../../lib/errors.ts'
import type { ApplicationStatus } from '../../../../lib/reconcile/status/application/application-status.ts'
import { ingressConfig } from '../../../support/builders/ingress-config.ts'
import type { Files } from '../../../support/builders/snapshot.ts'
import {
  everyImage,
  type MemoryDaemon,
  manifestOf,
  memoryDaemon,
} from '../../../support/memory/memory-daemon.ts'
import { memoryEngine } from '../../../support/memory/memory-engine.ts'

const specification = (name: string, port: number) => `name: ${name}
version: "1"
services:
  - name: web
    containers: [{name: web, image: "web:1"}]
    ingress: [{host: ${name}.example, port: ${port}}]
`
const broken = 'name: shop\nservices: 7\n'

/** A repository with these specifications, by the name of the application. */
function files(specifications: Readonly<Record<string, string>>): Files {
  const services = Object.keys(specifications).map(name => ({ name }))
  const manifest = JSON.stringify({ services, skipConfirmation: true })
  return {
    ...manifestOf('prod', {}),
    'environments/prod/manifest.json': manifest,
    ...Object.fromEntries(
      Object.entries(specifications).map(([name, text]) => [`applications/${name}.yaml`, text]),
    ),
  }
}

describe('two sites whose ingresses loaded different routes', () => {
  it('D15 G17 keep each what they have of a blocked application, and load what else is new', async () => {
    const { daemon, silence } = await stores(files({ shop: specification('shop', 8000) }))
    await using _daemon = daemon
    await settle(daemon)
    expect(loaded(daemon)).to.deep.equal([['shop:8000'], ['shop:8000']])
    silence('store-2')
    daemon.commit(files({ shop: specification('shop', 9000) }), '2'.repeat(40))
    await settle(daemon)
    expect(loaded(daemon), 'the silent one keeps what it had').to.deep.equal([['shop:9000'], ['shop:8000']])
    silence(undefined)
    daemon.commit(files({ shop: broken, blog: specification('blog', 80) }), '3'.repeat(40))
    await settle(daemon)
    expect(loaded(daemon)).to.deep.equal([
      ['blog:80', 'shop:9000'],
      ['blog:80', 'shop:8000'],
    ])
  })

  it('D15 G25 keep a blocked application when its routes were loaded before the journal was lost', async () => {
    const good = files({ shop: specification('shop', 8000) })
    const first = await stores(good)
    await using _first = first.daemon
    await settle(first.daemon)
    const { daemon } = await stores(good, first.sites)
    await using _daemon = daemon
    await settle(daemon)
    expect(loaded(daemon), 'what is found as wanted is loaded').to.deep.equal([['shop:8000'], ['shop:8000']])
    daemon.commit(files({ shop: broken, blog: specification('blog', 80) }), '3'.repeat(40))
    await settle(daemon)
    expect(loaded(daemon)).to.deep.equal([
      ['blog:80', 'shop:8000'],
      ['blog:80', 'shop:8000'],
    ])
  })

  it('D15 P33 do not block an application for what it took over, on one of them, from one that is blocked', async () => {
    const one = specification('blog', 80)
    const { daemon, silence } = await stores(files({ blog: one }))
    await using _daemon = daemon
    await settle(daemon)
    silence('store-1')
    const taken = specification('shop', 8000).replace('shop.example', 'blog.example')
    daemon.commit(files({ shop: taken }), '2'.repeat(40))
    await settle(daemon)
    expect(loaded(daemon)).to.deep.equal([['blog:80'], ['shop:8000']])
    daemon.commit(files({ shop: taken, blog: broken }), '3'.repeat(40))
    silence(undefined)
    await settle(daemon)
    expect(loaded(daemon), 'the first one follows').to.deep.equal([['shop:8000'], ['shop:8000']])
  })
})

describe('an environment whose ingress has the ports of another one on one of its sites', () => {
  it('P33 D15 A20 loads its routes on the others, and has what is new of its applications on all', async () => {
    const devel = (port: number): Files => ({
      ...files({ shop: specification('shop', 8000) }),
      'environments/devel/manifest.json': JSON.stringify({
        services: [{ name: 'blog' }],
        skipConfirmation: true,
      }),
      'applications/blog.yaml': specification('blog', port),
    })
    const sites = ['store-1', 'store-2'].map(site => memoryEngine({ distribution: everyImage, site }))
    const daemon = await memoryDaemon({
      environments: ['prod', 'devel'],
      files: files({ shop: specification('shop', 8000) }),
      engines: sites,
      config: {
        ingress: ingressConfig({}),
        prune: 'auto',
        sites: ['store-1', 'store-2'].map(name => ({
          ...{ name, endpoint: `unix:///run/${name}.sock` },
          ...(name === 'store-2' ? { environments: ['devel'] } : {}),
        })),
      },
    })
    await using _daemon = daemon
    await daemon.pass('prod')
    daemon.commit(devel(80), '2'.repeat(40))
    for (let pass = 0; pass < 3; pass += 1) await daemon.pass('devel')
    expect(loaded(daemon, 'prod')).to.deep.equal([['shop:8000'], []])
    expect(loaded(daemon, 'devel')).to.deep.equal([[], ['blog:80']])
    const [, { errors, applications }] = await daemon.ask('GET /api/v1/environments')
    const told = applications.map((one: ApplicationStatus) => `${one.site} ${one.application} ${one.sync}`)
    expect(told).to.deep.equal([
      'store-1 blog Synced',
      'store-1 tallyman-ingress Unknown',
      'store-2 blog Synced',
      'store-2 tallyman-ingress Synced',
    ])
    expect(errors.map(({ message }: Problem) => message)).to.deep.equal([
      'the ingress of devel claims host port 80, which the ingress of prod has',
    ])
  })
})

/** Makes passes until what an apply leads to is done. */
async function settle(daemon: MemoryDaemon): Promise<void> {
  for (let pass = 0; pass < 3; pass += 1) await daemon.pass()
}

/** What the ingress of each store has loaded: `shop:8000`. */
function loaded({ journal }: MemoryDaemon, environment = 'prod'): readonly (readonly string[])[] {
  return ['store-1', 'store-2'].map(site =>
    journal.routes(environment, site).map(({ application, port }) => `${application}:${port}`),
  )
}

async function stores(
  first: Files,
  sites = ['store-1', 'store-2'].map(site => memoryEngine({ distribution: everyImage, site })),
) {
  let isSilent: string | undefined
  const engines = sites.map(engine => ({
    ...engine,
    observe: async (...asked: Parameters<typeof engine.observe>) => {
      if (isSilent === engine.site) throw new Failure('engine-unreachable', `${engine.site}: nobody answers`)
      return engine.observe(...asked)
    },
  }))
  const daemon = await memoryDaemon({
    environments: ['prod'],
    files: first,
    engines,
    config: {
      ingress: ingressConfig({}),
      prune: 'auto',
      sites: sites.map(({ site }) => ({ name: site, endpoint: `unix:///run/${site}.sock` })),
    },
  })
  return {
    daemon,
    sites,
    silence: (site: string | undefined) => {
      isSilent = site
    },
  }
}
