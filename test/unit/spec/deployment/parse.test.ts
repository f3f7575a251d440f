import { expect } from 'chai'
import { formatProblem } from '../../../../lib/errors.ts'
import { type DeploymentFile, parseDeployment } from '../../../../lib/spec/deployment/parse.ts'
import type { Deployment } from '../../../../lib/state/fleet/deployment.ts'
import { readText } from '../../../docs/documents.ts'

const file = 'deployments/shop.yaml'
const start = 'name: shop\napplication: shop\n'
const everywhere = `${start}placement: {all-sites: true}\n`

describe('application deployment specifications', () => {
  it('A20 A30 A32 reads the example of the applications document as it stands', () => {
    const { revision, ...deployment } = read(
      readText('fixtures/ticket-deployment/deployments/ticket-deployment.yaml'),
      'deployments/ticket-deployment.yaml',
    )
    expect(revision).to.match(/^[0-9a-f]{64}$/)
    expect(deployment).to.deep.equal({
      name: 'ticket-deployment',
      application: 'ticket-manager',
      placement: {
        kind: 'match-site-labels',
        expression: { kind: 'equal', label: 'system/type', value: 'edge' },
        text: 'system/type = edge\n',
      },
      sitesInParallel: 2,
      healthyMs: 15 * 60_000,
    })
  })

  it('A30 without more than a placement goes to all sites at once', () => {
    const { revision: _, ...deployment } = read(everywhere)
    expect(deployment).to.deep.equal({
      name: 'shop',
      application: 'shop',
      placement: { kind: 'all-sites' },
      healthyMs: 0,
    })
  })

  it('A31 reads canaries that are watched for a time', () => {
    expect(canaryOf('canary-sites: {match-site-labels: lab}, canary-healthy-time: 1h30m')).to.deep.equal({
      expression: { kind: 'present', label: 'lab' },
      text: 'lab',
      next: { kind: 'healthy', healthyMs: 90 * 60_000 },
    })
  })

  it('A31 reads canaries that are watched for the time of all sites', () => {
    expect(canaryOf('canary-sites: {match-site-labels: lab}, healthy-time: 30s')).to.deep.include({
      next: { kind: 'healthy', healthyMs: 30_000 },
    })
  })

  it('A31 reads canaries that wait for a word', () => {
    expect(
      canaryOf('canary-sites: {match-site-labels: lab}, canary-continue-by-action: true, healthy-time: 5m'),
    ).to.deep.include({ next: { kind: 'word' } })
  })

  const versions: readonly (readonly [string, string | undefined])[] = [
    ['"*"', undefined],
    ['1.10', '1.10'],
    ['0x10', '0x10'],
    ['"1.0"', '1.0'],
    ['v2.0-rc.1+7', 'v2.0-rc.1+7'],
    ['7', '7'],
    // The version of a manifest's application is the tag of its image (X19).
    ['2026_11-rc', '2026_11-rc'],
  ]
  for (const [written, version] of versions)
    it(`A10 application-version: ${written} means ${version ?? 'any'}`, () => {
      expect(read(`${everywhere}application-version: ${written}\n`).version).to.equal(version)
    })

  it('reads JSON, and leaves keys that begin with x- alone', () => {
    const text = '{"name": "shop", "application": "shop", "placement": {"all-sites": true}, "x-team": 1}'
    expect(read(text, 'deployments/shop.json').application).to.equal('shop')
  })

  const refused: readonly (readonly [what: string, text: string, problems: readonly string[]])[] = [
    [
      'a file that says nothing',
      '{}',
      ['1:1: /name is required', '1:1: /application is required', '1:1: /placement is required'],
    ],
    ['no document', '', ['1:1: the whole file must be an object, not null']],
    [
      'another name than that of the file',
      everywhere.replace('shop', 'shop-2'),
      ['1:7: /name is "shop-2", and the file is named shop (name-mismatch)'],
    ],
    [
      'a name that is a path',
      `${everywhere.replace('application: shop', 'application: ../shop')}`,
      [
        '2:14: /application must be the name of an application or of a service in the manifest, not "../shop"',
      ],
    ],
    [
      'a placement without sites',
      `${start}placement: {}\n`,
      ['3:12: /placement needs "all-sites: true" or "match-site-labels"'],
    ],
    [
      'a placement with both',
      `${start}placement: {all-sites: true, match-site-labels: lab}\n`,
      ['3:12: /placement has both "all-sites" and "match-site-labels"; keep one of them'],
    ],
    [
      'all-sites: false',
      `${start}placement: {all-sites: false}\n`,
      ['3:24: /placement/all-sites must be true, not false'],
    ],
    [
      'an expression without quotes that YAML reads as something else',
      `${start}placement:\n  match-site-labels: {}\n`,
      ['4:22: /placement/match-site-labels must be a text, not an object'],
    ],
    [
      'a mistake in a folded expression',
      `${start}placement:\n  match-site-labels: >\n    system/type = edge\n    and region == europe\n`,
      [
        '6:17: /placement/match-site-labels is no label expression: expected a value, found "="; a label is compared with one "="',
      ],
    ],
    [
      'an expression that ends too early',
      `${start}placement:\n  match-site-labels: >\n    system/type = edge and\n`,
      [
        '5:27: /placement/match-site-labels is no label expression: expected a label, "not", "(" or "{}", found the end',
      ],
    ],
    [
      'an empty expression',
      `${start}placement: {match-site-labels: " "}\n`,
      ['3:33: /placement/match-site-labels is empty'],
    ],
    [
      'no sites in parallel',
      `${everywhere}deploy-to-sites: {sites-in-parallel: 0}\n`,
      ['4:38: /deploy-to-sites/sites-in-parallel must be >= 1, not 0'],
    ],
    [
      'a share of the sites',
      `${everywhere}deploy-to-sites: {sites-in-parallel: 10%}\n`,
      ['4:38: /deploy-to-sites/sites-in-parallel must be a whole number, not "10%"'],
    ],
    [
      'a time without a unit',
      `${everywhere}deploy-to-sites: {healthy-time: 15}\n`,
      ['4:33: /deploy-to-sites/healthy-time must be a text, not 15; write 15s'],
    ],
    [
      'a time that is none',
      `${everywhere}deploy-to-sites: {healthy-time: soon}\n`,
      ['4:33: /deploy-to-sites/healthy-time "soon" is no duration; write for example 90s, 1m30s or 500ms'],
    ],
    [
      'canaries without a condition',
      `${everywhere}deploy-to-sites: {canary-sites: {}}\n`,
      ['4:33: /deploy-to-sites/canary-sites/match-site-labels is required'],
    ],
    [
      'canaries that nobody waits for',
      `${everywhere}deploy-to-sites: {canary-sites: {match-site-labels: lab}}\n`,
      [
        '4:33: /deploy-to-sites/canary-sites needs "canary-healthy-time", "canary-continue-by-action: true" or "healthy-time" beside it',
      ],
    ],
    [
      'canaries that go on in two ways',
      `${everywhere}deploy-to-sites: {canary-sites: {match-site-labels: lab}, canary-healthy-time: 1m, canary-continue-by-action: true}\n`,
      [
        '4:18: /deploy-to-sites has both "canary-healthy-time" and "canary-continue-by-action"; keep one of them',
      ],
    ],
    [
      'a way on without canaries',
      `${everywhere}deploy-to-sites: {canary-healthy-time: 1m}\n`,
      ['4:40: /deploy-to-sites/canary-healthy-time needs "canary-sites" beside it'],
    ],
    [
      'a version that is a path',
      `${everywhere}application-version: ../1.0\n`,
      [
        '4:22: /application-version must be "*", or a version of letters, digits, ".", "_", "-" and "+", without a "_" in front, and not only of ".", not "../1.0"',
      ],
    ],
    [
      'a version of dots, which is a path too',
      `${everywhere}application-version: ..\n`,
      [
        '4:22: /application-version must be "*", or a version of letters, digits, ".", "_", "-" and "+", without a "_" in front, and not only of ".", not ".."',
      ],
    ],
    [
      'a key that is nearly right',
      `${everywhere}deploy-to-sites: {sites-in-paralel: 2}\n`,
      ['4:19: /deploy-to-sites/sites-in-paralel is not a known key; did you mean "sites-in-parallel"?'],
    ],
    [
      'keys that stand elsewhere, or are called otherwise here',
      `${everywhere}strategy: rolling\nversion: "1"\nhealthy-time: 1m\nall-sites: true\n`,
      [
        '4:1: /strategy is not a known key: "deploy-to-sites" says how a new version spreads over the sites; the specification of the application says how its instances are replaced',
        '5:1: /version is not a known key: it is "application-version" here',
        '6:1: /healthy-time is not a known key: stands under "deploy-to-sites"',
        '7:1: /all-sites is not a known key: stands under "placement"',
      ],
    ],
    [
      'a regular expression that small numbers make huge, at its line and column',
      `${start}placement:\n  match-site-labels: >\n    lab or\n    region ~ (.{0,99}){99}\n`,
      [
        '6:14: /placement/match-site-labels has after "~" a text that is a regular expression of more than 1000 parts once its repetitions, such as {0,100}, are written out; repeat less',
      ],
    ],
    [
      'several mistakes, all of them',
      `${start}placement: {match-site-labels: a b}\ndeploy-to-sites: {sites-in-parallel: 0, healthy-time: soon}\n`,
      [
        '4:38: /deploy-to-sites/sites-in-parallel must be >= 1, not 0',
        '3:34: /placement/match-site-labels is no label expression: expected "and", "or" or the end, found "b"',
        '4:55: /deploy-to-sites/healthy-time "soon" is no duration; write for example 90s, 1m30s or 500ms',
      ],
    ],
  ]
  for (const [what, text, problems] of refused)
    it(`refuses ${what}`, () => {
      const told = problemsOf(parseDeployment(file, text))
      expect(
        told.map(problem => problem.replace(`${file}:`, '').replace(' (deployment-invalid)', '')),
      ).to.deep.equal(problems)
    })

  const guessed: readonly (readonly [what: string, text: string, application: string | undefined])[] = [
    ['a mistake elsewhere', `${start}placement: {}\n`, 'shop'],
    ['a file that is no YAML', `${everywhere}]\n`, 'shop'],
    ['JSON that is cut off', '{"application": "web", "placement": {', 'web'],
    ['a name that is none', 'name: shop\napplication: a/b\nplacement: {}\n', 'shop'],
    ['no application at all', 'name: shop\nplacement: {}\n', undefined],
    ['a file that is no YAML and names none', 'name: [\n', undefined],
  ]
  for (const [what, text, application] of guessed)
    it(`D15 knows ${application === undefined ? 'that it does not know the application' : `the application ${application}`} in spite of ${what}`, () => {
      const read = parseDeployment(file, text)
      expect(read.state === 'invalid' && read.application).to.equal(application)
    })

  describe('the revision', () => {
    const text = `${start}application-version: 1\nplacement:\n  match-site-labels: a and b\ndeploy-to-sites: {healthy-time: 90s}\n`
    const same: readonly (readonly [string, string])[] = [
      ['the version is another', text.replace('version: 1', 'version: 2')],
      ['the expression is wrapped in another way', text.replace('a and b', '>\n    a\n    and b')],
      ['the time is written in another way', text.replace('90s', '1m30s')],
      ['a comment is added', `# of the shop\n${text}`],
    ]
    for (const [what, other] of same)
      it(`A25 stays the same if ${what}`, () => {
        expect(read(other).revision).to.equal(read(text).revision)
      })

    const others: readonly (readonly [string, string])[] = [
      ['the sites are others', text.replace('a and b', 'a or b')],
      ['the time is another', text.replace('90s', '91s')],
      ['the application is another', text.replace('application: shop', 'application: web')],
    ]
    for (const [what, other] of others)
      it(`A25 is another if ${what}`, () => {
        expect(read(other).revision).not.to.equal(read(text).revision)
      })
  })
})

function read(text: string, path = file): Deployment {
  const parsed = parseDeployment(path, text)
  if (parsed.state === 'invalid') throw new Error(problemsOf(parsed).join('\n'))
  return parsed.deployment
}

function canaryOf(strategy: string): Deployment['canary'] {
  return read(`${everywhere}deploy-to-sites: {${strategy}}\n`).canary
}

function problemsOf(parsed: DeploymentFile): readonly string[] {
  return parsed.state === 'invalid' ? parsed.problems.map(formatProblem) : []
}
