import { posix } from 'node:path'
import { expect } from 'chai'
import { listenersOf } from '../../../../../lib/config/listeners.ts'
import { reachOf } from '../../../../../lib/config/reach.ts'
import { ingressesIn, rivalsOf } from '../../../../../lib/reconcile/repository/ingress/rival-ingress.ts'
import type { CalledEnvironment } from '../../../../../lib/state/identity.ts'
import { ingressConfig } from '../../../../support/builders/ingress-config.ts'

type Sites = readonly { readonly name: string; readonly environments?: readonly string[] }[]

/** An environment by its directory; its name on engines is that of the directory unless it is told. */
function called(directory: string, environment = posix.basename(directory)): CalledEnvironment {
  return { name: posix.basename(directory), directory, environment }
}

const plain = (name: string) => called(`environments/${name}`)

/** What the journal knows: the environments, and which of them have an ingress that runs. */
function journalOf(running: readonly string[], known: readonly CalledEnvironment[]) {
  const all = known.map(({ environment, directory }) => ({
    ...{ environment, directory, source: 'ops/manifests', address: '' },
  }))
  return {
    routedSites: (name: string, sites: readonly string[]) => (running.includes(name) ? sites : []),
    environments: () => all,
  }
}

type Config = {
  readonly environments?: readonly string[]
  readonly ingress?: object
  readonly sites?: Sites
  readonly known?: readonly CalledEnvironment[]
}

/** Why the ingress of an environment has no ports, where those of others run. */
function rival(
  environment: CalledEnvironment,
  running: readonly string[],
  {
    environments = ['prod', 'devel'],
    ingress = {},
    sites = [{ name: 'local' }],
    known = [plain('prod'), plain('devel')],
  }: Config = {},
) {
  const config = { environments: [...environments], ingress: ingressConfig(ingress), sites }
  const [first] = rivalsOf({ config, journal: journalOf(running, known) }, environment)
  return first?.problem.message
}

describe('the ingresses of two environments', () => {
  const told = 'the ingress of devel claims host port 80, which the ingress of prod has'

  it('P33 do not both listen on one port of a host: whose runs keeps it, and both are named', () => {
    expect(rival(plain('devel'), ['prod'])).to.equal(told)
    expect(rival(plain('prod'), ['prod'])).to.equal(undefined)
    expect(rival(plain('prod'), ['devel'])).to.equal(
      'the ingress of prod claims host port 80, which the ingress of devel has',
    )
  })

  it('P33 are told by the order of the configuration when both seem to run', () => {
    expect(rival(plain('prod'), ['prod', 'devel'])).to.equal(undefined)
    expect(rival(plain('devel'), ['prod', 'devel'])).to.equal(told)
  })

  it('P33 A20 are judged on each site: what runs there keeps its ports, also against the one that is named first', () => {
    const config = {
      environments: ['prod', 'devel'],
      ingress: ingressConfig({}),
      sites: ['north', 'south', 'tower'].map(name => ({ name })),
    }
    const runs: Readonly<Record<string, readonly string[]>> = {
      prod: ['north', 'tower'],
      devel: ['south', 'tower'],
    }
    const journal = {
      routedSites: (name: string, among: readonly string[]) =>
        among.filter(site => runs[name]?.includes(site)),
      environments: () => journalOf([], [plain('prod'), plain('devel')]).environments(),
    }
    const taken = (environment: string) =>
      rivalsOf({ config, journal }, plain(environment)).flatMap(({ sites }) => sites)
    expect(taken('prod')).to.deep.equal(['south'])
    expect(taken('devel')).to.deep.equal(['north', 'tower'])
  })

  it('P33 leave each other alone while the other has no route, on other ports, and on other hosts', () => {
    expect(rival(plain('devel'), [])).to.equal(undefined)
    const devel = { http: { port: 8080 }, https: { port: 8443 } }
    expect(rival(plain('devel'), ['prod'], { ingress: { environments: { devel } } })).to.equal(undefined)
    const sites = [
      { name: 'one', environments: ['prod'] },
      { name: 'two', environments: ['devel'] },
    ]
    expect(rival(plain('devel'), ['prod'], { sites })).to.equal(undefined)
    expect(rival(plain('devel'), ['prod'], { ingress: { external: true } })).to.equal(undefined)
  })

  it('P33 A20 are told apart where each runs on sites of its own, and only the sites are taken on which the other one runs', () => {
    const config = {
      environments: ['prod', 'devel'],
      ingress: ingressConfig({}),
      sites: ['north', 'south', 'tower'].map(name => ({ name })),
    }
    const on = (...sites: readonly string[]) => ({
      routedSites: (name: string, among: readonly string[]) =>
        name === 'prod' ? among.filter(site => sites.includes(site)) : [],
      environments: () => journalOf([], [plain('prod'), plain('devel')]).environments(),
    })
    expect(rivalsOf({ config, journal: on() }, plain('devel'))).to.deep.equal([])
    const rivals = rivalsOf({ config, journal: on('north', 'south') }, plain('devel'))
    expect(rivals.map(({ sites }) => sites)).to.deep.equal([['north', 'south']])
    const reach = reachOf(config.ingress, config, ingressesIn({ config, journal: on('south') }))
    expect(reach.neighbours?.(plain('devel')).map(({ sites }) => sites)).to.deep.equal([['south']])
  })

  const neighbours = (environment: string, running: readonly string[], ingress: object, sites?: Sites) =>
    reachOf(
      ingressConfig(ingress),
      { environments: ['prod', 'devel'], sites: [...(sites ?? [{ name: 'local' }])] },
      (name, _, shared) => (running.includes(name) ? shared : []),
    )
      .neighbours?.(plain(environment))
      .map(({ environment, listeners }) => `${environment} ${listeners.http.port}`)

  it('P33 keep their ports from the applications of the other one, once they run or the operator gave them some', () => {
    expect(neighbours('devel', [], {})).to.deep.equal([])
    expect(neighbours('devel', ['prod'], {})).to.deep.equal(['prod 80'])
    const ingress = { environments: { devel: { http: { port: 8080 } }, stage: { http: { port: 8090 } } } }
    expect(neighbours('prod', [], ingress)).to.deep.equal(['devel 8080', 'stage 8090'])
    const sites = [
      { name: 'one', environments: ['prod', 'stage'] },
      { name: 'two', environments: ['devel'] },
    ]
    expect(neighbours('prod', [], ingress, sites)).to.deep.equal(['stage 8090'])
    expect(neighbours('prod', ['devel'], { external: true })).to.equal(undefined)
  })

  it('P33 are found on the port that is left to both', () => {
    const devel = { http: { port: 8080 } }
    expect(rival(plain('devel'), ['prod'], { ingress: { environments: { devel } } })).to.include(
      'host port 443',
    )
    expect(listenersOf(ingressConfig({ environments: { devel } }), ['devel']).http.port).to.equal(8080)
  })

  it('P33 are found by whichever of its names the configuration has an environment', () => {
    const sites = [{ name: 'local', environments: ['./environments/devel/', 'prod'] }]
    for (const environments of [
      ['environments/prod', 'environments/devel'],
      ['prod', 'environments/devel'],
      ['./environments/prod/', 'devel'],
    ]) {
      const [first = ''] = environments
      const own = environments[1] ?? ''
      expect(rival(plain('devel'), ['prod'], { environments, sites }), String(environments)).to.equal(
        `the ingress of ${own} claims host port 80, which the ingress of ${first} has`,
      )
      expect(rival(plain('prod'), ['prod', 'devel'], { environments, sites })).to.equal(undefined)
    }
  })

  const [one, other] = [called('a/environments/prod'), called('b/environments/prod', 'prod-59a31d6d')]
  const namesakes = { environments: [one.directory, other.directory], known: [one, other] }

  it('P33 are told apart in two directories of one name, whatever they are called on the engine', () => {
    expect(rival(other, ['prod'], namesakes)).to.equal(
      'the ingress of b/environments/prod claims host port 80, which the ingress of a/environments/prod has',
    )
    expect(rival(one, ['prod', 'prod-59a31d6d'], namesakes)).to.equal(undefined)
    expect(rival(one, ['prod-59a31d6d'], namesakes)).to.equal(
      'the ingress of a/environments/prod claims host port 80, which the ingress of b/environments/prod has',
    )
    const sites = [
      { name: 'left', environments: ['a/environments/prod'] },
      { name: 'right', environments: ['prod-59a31d6d'] },
    ]
    expect(rival(other, ['prod'], { ...namesakes, sites })).to.equal(undefined)
  })

  it('P33 can have ports of their own by their directories, as the hint of the error says', () => {
    const ports = { http: { port: 8080 }, https: { port: 8443 } }
    for (const key of ['b/environments/prod', './b/environments/prod'])
      expect(rival(other, ['prod'], { ...namesakes, ingress: { environments: { [key]: ports } } })).to.equal(
        undefined,
      )
    const ofBoth = { environments: { prod: ports } }
    expect(rival(other, ['prod'], { ...namesakes, ingress: ofBoth })).to.include('host port 8080')
  })

  it('P33 keep their ports from the applications of a neighbour that goes by its directory', () => {
    const reach = (environments: readonly string[], environment: CalledEnvironment) =>
      reachOf(
        ingressConfig({}),
        { environments: [...environments], sites: [{ name: 'local' }] },
        ingressesIn({
          config: { environments: [], ingress: ingressConfig({}), sites: [{ name: 'local' }] },
          journal: journalOf(['prod', 'prod-59a31d6d'], [one, other, plain('devel')]),
        }),
      )
        .neighbours?.(environment)
        .map(({ environment }) => environment)
    expect(reach(['a/environments/prod', 'devel'], plain('devel'))).to.deep.equal(['a/environments/prod'])
    expect(reach(namesakes.environments, one)).to.deep.equal(['b/environments/prod'])
    expect(reach(namesakes.environments, other)).to.deep.equal(['a/environments/prod'])
  })
})
