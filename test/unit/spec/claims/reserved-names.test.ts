import { expect } from 'chai'
import { gateAlias } from '../../../../lib/state/application/ingress/route.ts'
import { built } from '../built.ts'

const ingress = { pool: '10.201.0.0/16', holdMs: 5_000 }

/** What is wrong with `shop`, whose only service is `web` unless told. */
function problemsOf(container: string, more = '', service = 'web'): readonly string[] {
  const text = `name: shop
services:
  - name: ${service}
    containers: [{name: app, image: app}, {image: app, ${container}}]
${more}`
  return built(text, { ingress }).problems
}

const route = '    ingress: [{host: shop.example, port: 80}]\n'

describe('names that something else of tallyman would be taken for', () => {
  /** Behind the gate of another application: the ingress asks for it on all gates at once. */
  const alias = gateAlias('bank', 'login')

  for (const hostname of [alias, alias.toUpperCase(), gateAlias('shop', 'web'), 'anything-0123abcd'])
    it(`P12 G24 refuses a host name under which the ingress would find it: ${hostname}`, () => {
      expect(problemsOf(`name: b, hostname: ${hostname}`, route)).to.deep.equal([
        `applications/shop.yaml:4:75: /services/0/containers/1/hostname is "${hostname}"; the ingress finds instances under names that end like that, in a dash and eight hex digits, and the engine would answer this one, too (name-reserved)`,
      ])
    })

  it('P12 leaves a host name alone that the ingress never asks for, or behind no gate', () => {
    for (const hostname of ['web', 'mail.example.com', 'db-2024', 'x-0123abcdef'])
      expect(problemsOf(`name: b, hostname: ${hostname}`, route)).to.deep.equal([])
    expect(problemsOf(`name: b, hostname: ${alias}`)).to.deep.equal([])
  })

  for (const name of ['kept-0a1b2c', 'routes-0123abcd'])
    it(`G10 refuses a container whose name would say that it was put away, or has loaded routes: ${name}`, () => {
      expect(problemsOf(`name: ${name}`)).to.deep.equal([
        `applications/shop.yaml:4:62: /services/0/containers/1/name is "${name}"; what tallyman adds to the names of containers looks like that (name-reserved)`,
      ])
    })

  it('G10 refuses an init container of such a name, too, and none that only begins alike', () => {
    const init = '    init-containers: [{name: kept-0a1b2c, image: app}]\n'
    expect(problemsOf('name: b', init)).to.have.lengthOf(1)
    for (const name of ['kept', 'kept-1', 'kept-back', 'routes-all', 'x-kept-0a1b2c'])
      expect(problemsOf(`name: ${name}`), name).to.deep.equal([])
  })

  it('G10 refuses a service with the name of the ingress, as an application with it is', () => {
    expect(problemsOf('name: b', '', 'tallyman-ingress')).to.deep.equal([
      'applications/shop.yaml:3:11: /services/0/name is "tallyman-ingress", which is the name of the ingress (name-reserved)',
    ])
  })
})
