import { expect } from 'chai'
import { formatProblem } from '../../../lib/errors.ts'
import { type ResolveContext, resolve } from '../../../lib/resolve.ts'
import { anySecrets } from '../../../lib/spec/any-secrets.ts'
import { strictPolicy } from '../../../lib/spec/policy/policy.ts'
import { type DesiredState, variantFor } from '../../../lib/state/application/desired.ts'
import { containersOf } from '../../../lib/state/application/members.ts'
import { labelsOf, type SiteLabels } from '../../../lib/state/fleet/labels.ts'
import { Secret } from '../../../lib/state/secret/secret.ts'
import { type Files, snapshotOf, symlink } from '../../support/builders/snapshot.ts'
import { refusal } from '../../support/failures/refusal.ts'

const north = 'environments/prod/sites/north'

const shop = `name: shop
version: "1.0"
services:
  - name: web
    variables:
      - {name: LEVEL, value: info}
    containers: [{name: web, image: "shop:1", env: {LOG_LEVEL: "\${LEVEL}"}}]
`

const regional = shop.replace('value: info', 'value: earth, value-from-site-label: region')

const asking = shop.replace('"${LEVEL}"', '{secret: db/password}')

describe('what single sites get otherwise', () => {
  it('A70 a service in the manifest of a site takes the place of the one of all sites, there only', async () => {
    const desired = await prod({ [`${north}/manifest.json`]: manifest('web', '2') })
    expect(imagesOn(desired, 'north')).to.deep.equal(['shop:1', 'web:2', 'cache:7'])
    expect(imagesOn(desired, 'south')).to.deep.equal(['shop:1', 'web:1', 'cache:7'])
    expect(variantFor(desired, 'north').warnings).to.deep.equal([])
  })

  it('A70 E11 the manifest of a site includes others as every manifest does, such as one for a group of sites', async () => {
    const desired = await prod({
      'environments/prod/groups/europe.json': manifest('web', '3'),
      [`${north}/manifest.json`]: JSON.stringify({ includes: ['../../groups/europe.json'] }),
    })
    expect(imagesOn(desired, 'north')).to.deep.equal(['shop:1', 'web:3', 'cache:7'])
  })

  it('A70 a specification of a site takes the place of the shared one of its name', async () => {
    const desired = await prod({ [`${north}/applications/shop.yaml`]: shop.replace('shop:1', 'shop:5') })
    expect(imagesOn(desired, 'north')).to.deep.equal(['shop:5', 'web:1', 'cache:7'])
    expect(imagesOn(desired, 'south')).to.deep.equal(['shop:1', 'web:1', 'cache:7'])
  })

  it('A70 A46 a variable of a site has another value there, as it is written', async () => {
    const desired = await prod({ [`${north}/variables.yaml`]: 'shop:\n  LEVEL: 1.10\n' })
    expect(levelOn(desired, 'north')).to.equal('1.10')
    expect(levelOn(desired, 'south')).to.equal('info')
  })

  describe('of an application whose name begins like a note', () => {
    const ray = (written: string) =>
      resolve(
        snapshotOf({
          'environments/prod/manifest.json': '{"services": [{"name": "x-ray"}]}',
          'applications/x-ray.yaml': shop.replaceAll('shop', 'x-ray'),
          [`${north}/variables.yaml`]: written,
        }),
        { name: 'prod', directory: 'environments/prod' },
        known,
      )

    it('A70 a variable has another value, beside keys that name nothing', async () => {
      const desired = await ray('x-note: {LEVEL: [1]}\nx-other: 5\nx-ray: {LEVEL: debug}\n')
      const { applications, blocked, warnings } = variantFor(desired, 'north')
      const containers = applications.flatMap(({ services }) => services.flatMap(containersOf))
      expect(containers.map(({ env }) => env)).to.deep.equal([{ LOG_LEVEL: 'debug' }])
      expect([blocked, warnings]).to.deep.equal([[], []])
    })

    it('A70 a variable that nothing has, and a value that is none, block it', async () => {
      const { blocked } = variantFor(await ray('x-ray: {LEVLE: debug, LEVEL: [1]}\n'), 'north')
      expect(blocked.flatMap(({ problems }) => problems.map(formatProblem))).to.deep.equal([
        'environments/prod/sites/north/variables.yaml:1:16: no service of x-ray.yaml has a variable "LEVLE"; did you mean "LEVEL"? (overlay-unmatched)',
        'environments/prod/sites/north/variables.yaml:1:30: /x-ray/LEVEL must be a text, a number, true or false (variables-invalid)',
      ])
    })
  })

  it('A71 a secret of a site is given to the applications that ask for it, there only', async () => {
    const desired = await prod(
      { [`${north}/secrets.yaml`]: 'encrypted', 'applications/shop.yaml': asking },
      { secrets: secretsWith('common'), secretsOn: async () => secretsWith('of the north') },
    )
    expect(passwordOn(desired, 'north')).to.equal('of the north')
    expect(passwordOn(desired, 'south')).to.equal('common')
  })

  it('A70 what a site does not change is the same value as on all others, and most sites have nothing of their own', async () => {
    const desired = await prod({
      [`${north}/manifest.json`]: manifest('web', '2'),
      'environments/prod/sites/west/README.md': 'nothing yet',
    })
    expect([...(desired.variants?.keys() ?? [])]).to.deep.equal(['north'])
    expect(named(variantFor(desired, 'north'), 'shop')).to.equal(named(desired, 'shop'))
    expect(named(variantFor(desired, 'north'), 'web')).not.to.equal(named(desired, 'web'))
    expect(await prod({})).not.to.have.property('variants')
  })

  it('A70 D15 a manifest of a site with a mistake lets nothing change on that site, and the others go on', async () => {
    const desired = await prod({ [`${north}/manifest.json`]: '{"services": [{"name": "web", "tag": "2"}]}' })
    const reason =
      'environments/prod/sites/north/manifest.json:1:31: /services/0/tag is not a known key (manifest-invalid)'
    expect(blockedOn(desired, 'north')).to.deep.equal({ shop: [reason], web: [reason], cache: [reason] })
    expect(variantFor(desired, 'north').applications).to.deep.equal([])
    expect(blockedOn(desired, 'south')).to.deep.equal({})
    expect(imagesOn(desired, 'south')).to.deep.equal(['shop:1', 'web:1', 'cache:7'])
  })

  it('A70 D15 a specification of a site with a mistake blocks its application on that site', async () => {
    const desired = await prod({ [`${north}/applications/shop.yaml`]: 'name: shop\nservice: []\n' })
    expect(blockedOn(desired, 'north')).to.deep.equal({
      shop: [
        'environments/prod/sites/north/applications/shop.yaml:2:1: /service is not a known key; did you mean "services"? (application-invalid)',
      ],
    })
    expect(imagesOn(desired, 'north')).to.deep.equal(['web:1', 'cache:7'])
    expect(blockedOn(desired, 'south')).to.deep.equal({})
  })

  it('A70 D15 a value with which a shared specification is wrong blocks it, and the error names the site', async () => {
    const desired = await prod({
      'applications/shop.yaml': shop.replace('env:', 'mem_limit: "${LEVEL}", env:').replace('info', '64m'),
      [`${north}/variables.yaml`]: 'shop: {LEVEL: much}',
    })
    expect(blockedOn(desired, 'north')).to.deep.equal({
      shop: [
        'applications/shop.yaml:7:58: /services/0/containers/0/mem_limit "much" is no size; write for example 512k, 64m or 1.5g (on the site north) (application-invalid)',
      ],
    })
    expect(blockedOn(desired, 'south')).to.deep.equal({})
  })

  it('A70 A46 a value on a site that names another variable is wrong where it stands', async () => {
    const desired = await prod({ [`${north}/variables.yaml`]: 'shop: {LEVEL: "${OTHER}"}' })
    expect(blockedOn(desired, 'north')).to.deep.equal({
      shop: [
        'environments/prod/sites/north/variables.yaml:1:15: /shop/LEVEL names the variable "OTHER", and no variable names another; for a dollar as it stands write $$, as in $${OTHER} (variables-invalid)',
      ],
    })
  })

  it('A70 D15 a site can repair what is wrong for all others', async () => {
    const desired = await prod({
      'applications/shop.yaml': 'name: shop\n',
      [`${north}/applications/shop.yaml`]: shop,
    })
    expect(Object.keys(blockedOn(desired, 'south'))).to.deep.equal(['shop'])
    expect(blockedOn(desired, 'north')).to.deep.equal({})
  })

  it('G11 D15 what requires an application that is blocked on one site is blocked there, too', async () => {
    const desired = await prod({
      'applications/shop.yaml': shop.replace('services:', 'requires: {web: "*"}\nservices:'),
      [`${north}/applications/web.yaml`]: 'name: web',
    })
    expect(Object.keys(blockedOn(desired, 'north'))).to.have.members(['web', 'shop'])
    expect(blockedOn(desired, 'south')).to.deep.equal({})
  })

  const unmatched: readonly (readonly [what: string, files: Files, problem: string])[] = [
    [
      'a service',
      { [`${north}/manifest.json`]: manifest('wep', '2') },
      'environments/prod/sites/north/manifest.json:1:14: the service "wep" does not run in the environment; did you mean "web"? (overlay-unmatched)',
    ],
    [
      'a specification',
      { [`${north}/applications/blog.yaml`]: shop.replace('shop', 'blog') },
      'environments/prod/sites/north/applications/blog.yaml: the application "blog" does not run in the environment (overlay-unmatched)',
    ],
    [
      'an application with variables',
      { [`${north}/variables.yaml`]: 'shpo: {LEVEL: debug}\n' },
      'environments/prod/sites/north/variables.yaml:1:1: the application "shpo" does not run in the environment; did you mean "shop"? (overlay-unmatched)',
    ],
    [
      'variables of a service without a specification',
      { [`${north}/variables.yaml`]: 'web: {LEVEL: debug}\n' },
      'environments/prod/sites/north/variables.yaml:1:1: the service "web" has no specification, and so it has no variables (overlay-unmatched)',
    ],
    [
      'variables that are none',
      { [`${north}/variables.yaml`]: 'shop: [LEVEL]\n' },
      'environments/prod/sites/north/variables.yaml:1:7: /shop must be an object, not a list (variables-invalid)',
    ],
    [
      'G24 a variable with a NUL',
      { [`${north}/variables.yaml`]: 'shop:\n  LEVEL: "a\\0b"\n' },
      'environments/prod/sites/north/variables.yaml:2:10: /shop/LEVEL holds a NUL character (variables-invalid)',
    ],
    [
      'two files of variables',
      { [`${north}/variables.yaml`]: '{}', [`${north}/variables.json`]: '{}' },
      'environments/prod/sites/north/variables.json: stands beside variables.yaml; keep only one of them (site-misnamed)',
    ],
    [
      'a manifest that is not read',
      { [`${north}/manifest.yaml`]: 'services: []' },
      'environments/prod/sites/north/manifest.yaml: is not read: in the directory of a site, it is manifest.json (site-misnamed)',
    ],
    [
      'a directory that is not read',
      { [`${north}/Application/shop.yaml`]: shop },
      'environments/prod/sites/north/Application: is not read: in the directory of a site, it is applications (site-misnamed)',
    ],
    [
      'a deployment',
      { [`${north}/deployments/shop.yaml`]: 'name: shop' },
      'environments/prod/sites/north/deployments: is not read: deployments are of an environment, and not of one of its sites (site-misnamed)',
    ],
    [
      'a symlink in place of its directory',
      { [north]: symlink },
      'environments/prod/sites/north: is a symlink (path-forbidden)',
    ],
    [
      'a file in place of its directory',
      { [north]: 'web: 2' },
      'environments/prod/sites/north: is a file (file-missing)',
    ],
  ]
  for (const [what, files, problem] of unmatched)
    it(`A70 D15 ${what} that the environment does not have, or that is not read, lets nothing change on that site`, async () => {
      const desired = await prod(files)
      expect(blockedOn(desired, 'north')).to.deep.equal({ shop: [problem], web: [problem], cache: [problem] })
      expect(blockedOn(desired, 'south')).to.deep.equal({})
    })

  it('A70 D15 a variable that no service has blocks its application on that site', async () => {
    const desired = await prod({ [`${north}/variables.yaml`]: 'shop: {LEVLE: debug}\n' })
    expect(blockedOn(desired, 'north')).to.deep.equal({
      shop: [
        'environments/prod/sites/north/variables.yaml:1:15: no service of shop.yaml has a variable "LEVLE"; did you mean "LEVEL"? (overlay-unmatched)',
      ],
    })
  })

  it('A70 G24 nothing is known while something else is in place of all directories of sites', async () => {
    expect(await refusal(() => prod({ 'environments/prod/sites': symlink }))).to.deep.equal([
      'environments/prod/sites: is a symlink, and a directory is looked for there (path-forbidden)',
    ])
  })

  it('A70 warns of what is for no site that runs the environment, also in another case', async () => {
    const desired = await prod({
      'environments/prod/sites/North/manifest.json': manifest('web', '2'),
      'environments/prod/sites/lab/manifest.json': manifest('web', '2'),
      'environments/prod/sites/nowhere-at-all/manifest.json': manifest('web', '2'),
      'environments/prod/sites/README.md': 'One directory for each site.',
      'environments/prod/Sites/south/manifest.json': manifest('web', '2'),
    })
    expect(desired).not.to.have.property('variants')
    expect(desired.warnings.map(formatProblem)).to.deep.equal([
      'environments/prod/Sites: is not looked into: what single sites get stands in a directory named sites (site-misnamed)',
      'environments/prod/sites/North: has no effect, because no site is named "North"; did you mean "north"? (site-misnamed)',
      'environments/prod/sites/lab: has no effect, because the site "lab" does not run this environment (site-misnamed)',
      'environments/prod/sites/nowhere-at-all: has no effect, because no site is named "nowhere-at-all" (site-misnamed)',
    ])
  })

  it('A70 G24 names of sites are never paths, and names of the language are names like all others', async () => {
    const desired = await prod(
      {
        'environments/prod/sites/__proto__/manifest.json': manifest('web', '2'),
        'environments/prod/sites/constructor/variables.yaml': '__proto__: {toString: x}\n',
      },
      { sites: () => ({ here: labelled('__proto__', 'constructor', '..'), elsewhere: new Set() }) },
    )
    expect([...(desired.variants?.keys() ?? [])]).to.deep.equal(['__proto__', 'constructor'])
    expect(imagesOn(desired, '__proto__')).to.deep.equal(['shop:1', 'web:2', 'cache:7'])
    expect(Object.keys(blockedOn(desired, 'constructor'))).to.deep.equal(['shop', 'web', 'cache'])
    expect(imagesOn(desired, '..')).to.deep.equal(['shop:1', 'web:1', 'cache:7'])
  })

  it('A73 a variable has the value of a label of the site, and its own on sites without that label', async () => {
    const desired = await prod({ 'applications/shop.yaml': regional })
    const regions = ['north', 'south', 'west'].map(site => levelOn(desired, site))
    expect(regions).to.deep.equal(['norway', 'spain', 'earth'])
    expect(levelOn({ ...desired, variants: new Map() }, 'north')).to.equal('earth')
  })

  it('A73 sites whose labels say the same share one value, and so do those without the label', async () => {
    const desired = await prod(
      { 'applications/shop.yaml': regional },
      { sites: () => ({ here: labelled('north', 'south', 'east', 'west', 'lab'), elsewhere: new Set() }) },
    )
    expect([...(desired.variants?.keys() ?? [])]).to.deep.equal(['north', 'south', 'east'])
    expect(variantFor(desired, 'south')).to.equal(variantFor(desired, 'east'))
    expect(variantFor(desired, 'north')).not.to.equal(variantFor(desired, 'east'))
    expect(variantFor(desired, 'west')).to.equal(variantFor(desired, 'lab'))
  })

  it('A73 A70 what the directory of a site says goes before its labels, and the labels count beside it', async () => {
    const twice = regional.replace(
      'containers:',
      '  - {name: SITE, value: none, value-from-site-label: system/name}\n    containers:',
    )
    const desired = await prod({
      'applications/shop.yaml': twice.replace('"${LEVEL}"', '"${LEVEL} ${SITE}"'),
      [`${north}/variables.yaml`]: 'shop: {LEVEL: debug}',
    })
    expect(levelOn(desired, 'north')).to.equal('debug north')
    expect(levelOn(desired, 'south')).to.equal('spain south')
  })

  it('A73 a label is a text as it stands, in which a dollar names nothing', async () => {
    const labels = labelsOf([['region', '${HOME} costs $5 or $$6']])
    const desired = await prod(
      { 'applications/shop.yaml': regional },
      { sites: () => ({ here: new Map([['north', labels]]), elsewhere: new Set() }) },
    )
    expect(levelOn(desired, 'north')).to.equal('${HOME} costs $5 or $$6')
  })

  it('A73 D15 a label with which the specification is wrong blocks the application on those sites', async () => {
    const desired = await prod({
      'applications/shop.yaml': regional
        .replace('env:', 'mem_limit: "${LEVEL}", env:')
        .replace('value: earth', 'value: 64m'),
    })
    expect(blockedOn(desired, 'north')).to.deep.equal({
      shop: [
        'applications/shop.yaml:7:58: /services/0/containers/0/mem_limit "norway" is no size; write for example 512k, 64m or 1.5g (with the labels of the site) (application-invalid)',
      ],
    })
    expect(blockedOn(desired, 'west')).to.deep.equal({})
  })

  it('A73 D15 a variable with a label needs a value for sites without it', async () => {
    const desired = await prod({ 'applications/shop.yaml': regional.replace('value: earth, ', '') })
    expect(blockedOn(desired, 'west')).to.deep.equal({
      shop: [
        'applications/shop.yaml:6:46: /services/0/variables/0/value-from-site-label needs a value beside it, for sites without this label (application-invalid)',
      ],
    })
  })

  it('A70 every directory is taken for that of a site while nobody knows which there are', async () => {
    const { sites: _, ...context } = known
    const desired = await resolveWith({ [`${north}/manifest.json`]: manifest('web', '2') }, context)
    expect(imagesOn(desired, 'north')).to.deep.equal(['shop:1', 'web:2', 'cache:7'])
    expect(desired.warnings).to.deep.equal([])
  })
})

function manifest(name: string, dockerTag: string): string {
  return JSON.stringify({ services: [{ name, containers: [{ dockerTag }] }] })
}

function secretsWith(text: string): ResolveContext['secrets'] {
  return { ...anySecrets, find: () => new Secret(text, text) }
}

const known: ResolveContext = {
  source: 'ops/manifests',
  policy: strictPolicy,
  healthyMs: 10_000,
  sandboxImage: 'pause:1',
  secrets: anySecrets,
  sites: () => ({ here: labelled('north', 'south', 'west'), elsewhere: new Set(['lab']) }),
}

/** Runs `shop`, which has a specification, `web` and `cache` in the environment `prod` on the sites north, south and west. */
function prod(files: Files, more: Partial<ResolveContext> = {}): Promise<DesiredState> {
  return resolveWith(files, { ...known, ...more })
}

function resolveWith(files: Files, context: ResolveContext): Promise<DesiredState> {
  const services = ['shop', 'web', 'cache'].map(name => ({
    name,
    ...(name === 'shop' ? {} : { containers: [{ dockerTag: name === 'web' ? '1' : '7' }] }),
  }))
  const all = {
    'environments/prod/manifest.json': JSON.stringify({ services }),
    'applications/shop.yaml': shop,
    ...files,
  }
  return resolve(snapshotOf(all), { name: 'prod', directory: 'environments/prod' }, context)
}

/** Sites with the label `region`: the north is in Norway, and the west says nothing. */
function labelled(...names: readonly string[]): ReadonlyMap<string, SiteLabels> {
  const regions = new Map([
    ['north', 'norway'],
    ['south', 'spain'],
    ['east', 'spain'],
  ])
  return new Map(
    names.map(name => {
      const region = regions.get(name)
      return [
        name,
        labelsOf([['system/name', name], ...(region === undefined ? [] : [['region', region] as const])]),
      ]
    }),
  )
}

function imagesOn(desired: DesiredState, site: string): readonly string[] {
  return variantFor(desired, site).applications.flatMap(({ services }) =>
    services.flatMap(containersOf).map(({ image }) => image.reference.replace('docker.io/library/', '')),
  )
}

function named({ applications }: DesiredState, name: string) {
  return applications.find(one => one.name === name)
}

function envOn(desired: DesiredState, site: string, variable: string): unknown {
  const [container] = named(variantFor(desired, site), 'shop')?.services.flatMap(containersOf) ?? []
  const env: Readonly<Record<string, unknown>> = { ...container?.env }
  return env[variable]
}

function levelOn(desired: DesiredState, site: string): unknown {
  return envOn(desired, site, 'LOG_LEVEL')
}

function passwordOn(desired: DesiredState, site: string): unknown {
  const value = levelOn(desired, site)
  return value instanceof Secret ? value.reveal() : value
}

function blockedOn(desired: DesiredState, site: string): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    variantFor(desired, site).blocked.map(({ application, problems }) => [
      application,
      problems.map(formatProblem),
    ]),
  )
}
