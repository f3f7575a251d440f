import { expect } from 'chai'
import { Failure, formatProblem } from '../../../lib/errors.ts'
import { anySecrets } from '../../../lib/spec/any-secrets.ts'
import { strictPolicy } from '../../../lib/spec/policy/policy.ts'
import { validateFile } from '../../../lib/validate/file.ts'

/** What a file is, and what is wrong in it. */
function told(path: string, text: string): readonly string[] {
  const { kind, problems } = validateFile(path, text, () => ({
    source: 'https://git.example.com/ops/manifests',
    policy: strictPolicy,
    healthyMs: 10_000,
    sandboxImage: 'busybox:stable',
    secrets: anySecrets,
  }))
  return [kind ?? 'unknown', ...problems.map(formatProblem)]
}

const shop = 'name: shop\nservices: [{name: web, containers: [{name: web, image: "web:1"}]}]\n'

const worker = 'acKind: PodManifest\nacVersion: 0.8.11\napps: [{name: a, image: {id: sha512-00}}]\n'

const deployment = 'name: shop\napplication: shop\nplacement: {all-sites: true}\n'

describe('a single file', () => {
  const good: readonly (readonly [string, string, string])[] = [
    ['environments/prod/manifest.json', '{"services": [{"name": "web"}]}', 'manifest'],
    ['/srv/store/manifest.json', '{}', 'manifest'],
    ['environments/prod/ours.json', '{"includes": ["./theirs.json"]}', 'manifest'],
    ['applications/shop.yaml', shop, 'application specification'],
    ['shop.yml', shop, 'application specification'],
    [
      'shop.json',
      '{"name": "shop", "services": [{"name": "a", "containers": [{"name": "a", "image": "a"}]}]}',
      'application specification',
    ],
    ['applications/worker.yaml', worker, 'pod manifest'],
    ['worker.yml', worker, 'pod manifest'],
    ['deployments/shop.yaml', deployment, 'deployment specification'],
    ['shop.yaml', deployment, 'deployment specification'],
    ['tallyman.yaml', 'poll: 30s', 'configuration'],
    ['/etc/tallyman/ops.yaml', 'repository: {url: /srv/manifests}', 'configuration'],
  ]
  for (const [path, text, kind] of good)
    it(`${path} is a valid ${kind}`, () => {
      expect(told(path, text)).to.deep.equal([kind])
    })

  const bad: readonly (readonly [string, string, readonly string[]])[] = [
    [
      'environments/prod/manifest.json',
      '{"services": [{"nam": "web"}]}',
      [
        'manifest',
        'environments/prod/manifest.json:1:16: /services/0/nam is not a known key; did you mean "name"? (manifest-invalid)',
      ],
    ],
    [
      'environments/prod/manifest.json',
      '{"services": [],}',
      [
        'manifest',
        'environments/prod/manifest.json:1:16: a comma before "}" is not allowed in JSON (json-invalid)',
      ],
    ],
    [
      'deployments/other.yaml',
      deployment.replace('{all-sites: true}', '{match-site-labels: lab && edge}'),
      [
        'deployment specification',
        'deployments/other.yaml:1:7: /name is "shop", and the file is named other (name-mismatch)',
        'deployments/other.yaml:3:36: /placement/match-site-labels is no label expression: expected "and", "or" or the end, found "&"; write "and" (deployment-invalid)',
      ],
    ],
    [
      'applications/other.yaml',
      shop,
      [
        'application specification',
        'applications/other.yaml:1:7: /name is "shop", and the file is named other (name-mismatch)',
      ],
    ],
    [
      'applications/shop.yaml',
      'name: shop\nservices: [{name: web, containers: [{name: web, image: "web:1", cpus: 0, init: 1}]}]',
      [
        'application specification',
        'applications/shop.yaml:2:71: /services/0/containers/0/cpus 0 is not a number of CPUs from 0.01 to 1024 (application-invalid)',
        'applications/shop.yaml:2:80: /services/0/containers/0/init must be true or false, not 1 (application-invalid)',
      ],
    ],
    [
      'tallyman.yaml',
      'poll: soon\nprune: maybe\n',
      [
        'configuration',
        'tallyman.yaml:1:7: /poll: "soon" is neither a duration such as 60s nor a cron expression (config-invalid)',
        'tallyman.yaml:2:8: /prune must be one of "confirm", "auto", "never", not "maybe" (config-invalid)',
      ],
    ],
    ['tallyman.yaml', 'poll: [', ['configuration']],
    [
      'ours.json',
      '{"services": [,]}',
      ['unknown', 'ours.json:1:15: expected a value, found "," (json-invalid)'],
    ],
  ]
  for (const [path, text, problems] of bad)
    it(`says what is wrong in ${path} ${JSON.stringify(text.slice(0, 30))}`, () => {
      expect(told(path, text).slice(0, problems.length)).to.deep.equal(problems)
    })

  it('is refused where nobody knows what it is, and what can be named is said', () => {
    expect(() => told('notes.yaml', 'hello: world'))
      .to.throw(Failure, 'is not a manifest')
      .that.includes({ code: 'wrong-usage' })
    expect(() => told('package.json', '{"dependencies": {}}')).to.throw(Failure, 'is not a manifest')
  })

  it('E1 is refused where it has almost the name of a manifest', () => {
    expect(() => told('environments/prod/manifest.yaml', 'services: []'))
      .to.throw(Failure, 'a manifest is named manifest.json')
      .that.includes({ code: 'manifest-misnamed' })
  })
})
