import { expect } from 'chai'
import { listenersOf } from '../../../../lib/config/listeners.ts'
import { reachOf } from '../../../../lib/config/reach.ts'
import { rivalOf } from '../../../../lib/reconcile/repository/rival-ingress.ts'
import { ingressConfig } from '../../../support/ingress-config.ts'

type Sites = readonly { readonly name: string; readonly environments?: readonly string[] }[]

/** Why the ingress of an environment has no ports, where those of others run. */
function rival(
  environment: string,
  running: readonly string[],
  { ingress = {}, sites = [{ name: 'local' }] }: { ingress?: object; sites?: Sites } = {},
) {
  const config = { environments: ['prod', 'devel'], ingress: ingressConfig(ingress), sites }
  const journal = { hasRoutes: (name: string) => running.includes(name) }
  return rivalOf({ config, journal }, environment)?.message
}

describe('the ingresses of two environments', () => {
  const told = 'the ingress of devel claims host port 80 of the site local, which the ingress of prod has'

  it('P33 do not both listen on one port of a host: whose runs keeps it, and both are named', () => {
    expect(rival('devel', ['prod'])).to.equal(told)
    expect(rival('prod', ['prod'])).to.equal(undefined)
    expect(rival('prod', ['devel'])).to.equal(
      'the ingress of prod claims host port 80 of the site local, which the ingress of devel has',
    )
  })

  it('P33 are told by the order of the configuration when both seem to run', () => {
    expect(rival('prod', ['prod', 'devel'])).to.equal(undefined)
    expect(rival('devel', ['prod', 'devel'])).to.equal(told)
  })

  it('P33 leave each other alone while the other has no route, on other ports, and on other hosts', () => {
    expect(rival('devel', [])).to.equal(undefined)
    const devel = { http: { port: 8080 }, https: { port: 8443 } }
    expect(rival('devel', ['prod'], { ingress: { environments: { devel } } })).to.equal(undefined)
    const sites = [
      { name: 'one', environments: ['prod'] },
      { name: 'two', environments: ['devel'] },
    ]
    expect(rival('devel', ['prod'], { sites })).to.equal(undefined)
    expect(rival('devel', ['prod'], { ingress: { external: true } })).to.equal(undefined)
  })

  const neighbours = (environment: string, running: readonly string[], ingress: object, sites?: Sites) =>
    reachOf(
      ingressConfig(ingress),
      { environments: ['prod', 'devel'], sites: [...(sites ?? [{ name: 'local' }])] },
      name => running.includes(name),
    )
      .neighbours?.(environment)
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
    expect(rival('devel', ['prod'], { ingress: { environments: { devel } } })).to.include('host port 443')
    expect(listenersOf(ingressConfig({ environments: { devel } }), 'devel').http.port).to.equal(8080)
  })
})
