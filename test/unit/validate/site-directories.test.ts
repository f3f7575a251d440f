import { expect } from 'chai'
import { formatProblem } from '../../../lib/errors.ts'
import { anySecrets } from '../../../lib/spec/any-secrets.ts'
import { strictPolicy } from '../../../lib/spec/policy/policy.ts'
import { validateRepository } from '../../../lib/validate/repository.ts'
import { type Files, snapshotOf, symlink } from '../../support/builders/snapshot.ts'

const west = 'environments/prod/sites/west'

const shop = `name: shop
services:
  - name: web
    variables:
      - {name: LEVEL, value: info}
    containers: [{name: web, image: "shop:1", env: {LOG_LEVEL: "\${LEVEL}"}}]
`

/** Returns what is wrong in a directory of a site, from the name of each file in it. */
async function problemsWith(files: Files): Promise<readonly string[]> {
  const all: Files = {
    'environments/prod/manifest.json': '{"services": [{"name": "shop"}, {"name": "blog"}]}',
    'applications/shop.yaml': shop,
    'applications/blog.yaml': shop.replaceAll('shop', 'blog'),
  }
  const placed = Object.entries(files).map(([name, text]) => [`${west}/${name}`, text])
  const { problems } = await validateRepository(snapshotOf({ ...all, ...Object.fromEntries(placed) }), {
    ...{ source: 'https://git.example.com/ops/manifests', policy: strictPolicy, healthyMs: 10_000 },
    ...{ sandboxImage: 'busybox:stable', secrets: anySecrets },
  })
  return problems.map(problem => formatProblem(problem).replaceAll(`${west}/`, ''))
}

describe('the directory of a site in which several things are wrong', () => {
  it('A70 G13 is told of as a whole: each file of it that is not read, and each that is', async () => {
    expect(
      await problemsWith({
        'deployments/shop.yaml': 'name: shop\n',
        'applications/shop.yaml': 'name: shop\nservices: []\n',
        'applications/blog.yaml': shop.replaceAll('shop', 'blog').replace('image:', 'cpus: 0, image:'),
        'variables.yaml': 'shop: {LEVEL: [debug]}\nblog: {LEVEL: "a\\0b"}\n',
        'variables.json': '{"blog": {"LEVEL": {}}}',
        'manifest.json': '{"services": [{"nam": "shop"}]}',
      }),
    ).to.deep.equal([
      'applications/blog.yaml:6:36: /services/0/containers/0/cpus 0 is not a number of CPUs from 0.01 to 1024 (application-invalid)',
      'applications/shop.yaml:2:11: /services must not be empty (application-invalid)',
      'deployments: is not read: deployments are of an environment, and not of one of its sites (site-misnamed)',
      'manifest.json:1:16: /services/0/nam is not a known key; did you mean "name"? (manifest-invalid)',
      'variables.json: stands beside variables.yaml; keep only one of them (site-misnamed)',
      'variables.json:1:20: /blog/LEVEL must be a text or a number or true or false, not an object (variables-invalid)',
      'variables.yaml:1:15: /shop/LEVEL must be a text or a number or true or false, not a list (variables-invalid)',
      'variables.yaml:2:15: /blog/LEVEL holds a NUL character (variables-invalid)',
    ])
  })

  it('A70 G13 is told of as a whole where it changes what the environment does not have', async () => {
    expect(
      await problemsWith({
        'applications/shop.yaml': 'name: shop\nservices: []\n',
        'applications/none.yaml': 'name: none\nservices: []\n',
        'variables.yaml': 'blog: {LEVLE: debug}\nnoen: {LEVEL: "${X}"}\n',
      }),
    ).to.deep.equal([
      'applications/none.yaml: the application "none" does not run in the environment (overlay-unmatched)',
      'applications/none.yaml:2:11: /services must not be empty (application-invalid)',
      'applications/shop.yaml:2:11: /services must not be empty (application-invalid)',
      'variables.yaml:1:15: no service of blog.yaml has a variable "LEVLE"; did you mean "LEVEL"? (overlay-unmatched)',
      'variables.yaml:2:1: the application "noen" does not run in the environment (overlay-unmatched)',
      'variables.yaml:2:15: /noen/LEVEL names the variable "X", and no variable names another; for a dollar as it stands write $$, as in $${X} (variables-invalid)',
    ])
  })

  it('A70 G13 is told of where something else is in place of a part of it', async () => {
    expect(
      await problemsWith({
        applications: symlink,
        'variables.yaml': 'shop: {LEVEL: "${X}"}\nx-note: {a: [b]}\n',
      }),
    ).to.deep.equal([
      'environments/prod/sites/west: applications: is a symlink, and a directory is looked for there (path-forbidden)',
      'variables.yaml:1:15: /shop/LEVEL names the variable "X", and no variable names another; for a dollar as it stands write $$, as in $${X} (variables-invalid)',
    ])
  })

  it('A70 E11 says of no file that it is not read while a manifest that cannot be read may include it', async () => {
    expect(
      await problemsWith({
        'manifest.json': '{"includes": ["./manifests.json"], "servies": []}',
        'manifests.json': '{}',
      }),
    ).to.deep.equal([
      'manifest.json:1:36: /servies is not a known key; did you mean "services"? (manifest-invalid)',
    ])
  })
})
