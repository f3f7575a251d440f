import { expect } from 'chai'
import { formatProblem } from '../../../../lib/errors.ts'
import { deploymentsAmong } from '../../../../lib/spec/deployment/of-environment.ts'
import { parseDeployment } from '../../../../lib/spec/deployment/parse.ts'

describe('the deployments of an environment', () => {
  it('A2 are those of applications that exist, one for each', () => {
    expect(among({ 'a.yaml': of('web'), 'b.yaml': of('shop') })).to.deep.equal({
      deployments: ['a of web', 'b of shop'],
      blocked: {},
    })
  })

  it('A2 block an application that has two, and name both', () => {
    expect(among({ 'a.yaml': of('web'), 'b.yaml': of('shop'), 'c.yaml': of('web') })).to.deep.equal({
      deployments: ['b of shop'],
      blocked: {
        web: [
          'deployments/c.yaml:2:14: /application is "web", which deployments/a.yaml deploys already; an application has one deployment (duplicate-deployment)',
        ],
      },
    })
  })

  it('A33 G14 block the application of one that has the name of another: a command could mean either', () => {
    expect(among({ 'shop.yaml': of('web') })).to.deep.equal({
      deployments: [],
      blocked: {
        web: [
          'deployments/shop.yaml:1:7: /name is "shop", which is another application than "web", so that nobody could tell which of the two a command means; give the deployment another name (deployment-invalid)',
        ],
      },
    })
  })

  it('D15 block the application of one that cannot be used, and no other', () => {
    expect(among({ 'a.yaml': of('web', '{}'), 'b.yaml': of('shop') })).to.deep.equal({
      deployments: ['b of shop'],
      blocked: {
        web: [
          'deployments/a.yaml:3:12: /placement needs "all-sites: true" or "match-site-labels" (deployment-invalid)',
        ],
      },
    })
  })

  it('D15 block an application of the name of the file, if the file does not say which', () => {
    expect(Object.keys(among({ 'web.yaml': 'placement: {all-sites: true}\n' }).blocked)).to.deep.equal([
      'web',
    ])
  })

  it('D15 block the application that has the name of the file, whatever the file says inside', () => {
    expect(
      Object.keys(
        among({ 'web.yaml': 'name: shop\napplication: shop\nplacement: {all-sites: true}\n' }).blocked,
      ),
    ).to.include('web')
    expect(Object.keys(among({ 'web.yaml': of('no-such-thing') }).blocked)).to.deep.equal([
      'no-such-thing',
      'web',
    ])
    expect(
      Object.keys(among({ 'web.yaml': of('no-such-thing'), 'b.yaml': of('web') }).blocked),
    ).to.deep.equal(['no-such-thing'])
  })

  it('D15 block all applications without a deployment, if one of them is meant and nothing says which', () => {
    const { deployments, blocked } = among({ 'a.yaml': of('web'), 'b.yaml': 'name: b\n' })
    expect(deployments).to.deep.equal(['a of web'])
    expect(Object.keys(blocked)).to.deep.equal(['b', 'shop', 'events'])
  })

  it('D15 block what was probably meant by an application that does not exist', () => {
    expect(among({ 'a.yaml': of('shopp') })).to.deep.equal({
      deployments: [],
      blocked: {
        shopp: [unknown('shopp', '; did you mean "shop"?')],
        shop: [unknown('shopp', '; did you mean "shop"?')],
      },
    })
  })

  it('D15 block nothing else because of an application that does not exist', () => {
    expect(
      among({ 'a.yaml': of('shopp'), 'b.yaml': of('shop'), 'c.yaml': of('no-such-thing') }),
    ).to.deep.equal({
      deployments: ['b of shop'],
      blocked: {
        shopp: [unknown('shopp', '')],
        'no-such-thing': [unknown('no-such-thing', '').replace('a.yaml', 'c.yaml')],
      },
    })
  })

  it('G24 know applications by their own names only', () => {
    expect(
      Object.keys(among({ 'a.yaml': of('constructor'), 'b.yaml': of('hasOwnProperty') }).blocked),
    ).to.deep.equal(['constructor', 'hasOwnProperty'])
  })
})

/** A deployment of an application, with the name of its file. */
function of(application: string, placement = '{all-sites: true}'): string {
  return `name: NAME\napplication: ${application}\nplacement: ${placement}\n`
}

function unknown(application: string, advice: string): string {
  return `deployments/a.yaml:2:14: /application is "${application}", and environments/prod has no such application${advice} (deployment-invalid)`
}

function among(files: Readonly<Record<string, string>>) {
  const parsed = Object.entries(files).map(([name, text]) =>
    parseDeployment(`deployments/${name}`, text.replace('NAME', name.replace('.yaml', ''))),
  )
  const { deployments, blocked } = deploymentsAmong(
    parsed,
    new Set(['web', 'shop', 'events']),
    'environments/prod',
  )
  return {
    deployments: deployments.map(({ name, application }) => `${name} of ${application}`),
    blocked: Object.fromEntries(
      blocked.map(({ application, problems }) => [application, problems.map(formatProblem)]),
    ),
  }
}
