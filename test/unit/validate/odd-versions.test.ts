import { expect } from 'chai'
import { formatProblem } from '../../../lib/errors.ts'
import type { ResolveContext } from '../../../lib/resolve.ts'
import { anySecrets } from '../../../lib/spec/any-secrets.ts'
import { strictPolicy } from '../../../lib/spec/policy/policy.ts'
import { validateRepository } from '../../../lib/validate/repository.ts'
import { type Files, snapshotOf } from '../../support/builders/snapshot.ts'

const context: ResolveContext = {
  ...{ source: 'https://git.example.com/ops/manifests', policy: strictPolicy, healthyMs: 10_000 },
  ...{ sandboxImage: 'busybox:stable', secrets: anySecrets },
}

/** What is no version anywhere. */
const odd = [
  '../../x',
  'a/b',
  'a\\b',
  '',
  ' ',
  'a b',
  'a\tb',
  'a\0b',
  'a\u001b[2J',
  '1'.repeat(257),
  'é',
  '$(id)',
]

/** Deploys `web`, with these words after `version:`, `application-version:` and `dockerTag` if they are given. */
function repository({ version = '1', named = '1', tag = '1' }): Files {
  const image = '{name: web, image: registry.example.com/web}'
  const containers = [{ dockerName: 'registry.example.com/web', dockerTag: tag }]
  return {
    'environments/prod/manifest.json': JSON.stringify({ services: [{ name: 'web', containers }] }),
    'applications/web.yaml': `name: web\nversion: ${JSON.stringify(version)}\nservices: [{name: web, containers: [${image}]}]\n`,
    'deployments/web.yaml': `name: web\napplication: web\napplication-version: ${JSON.stringify(named)}\nplacement: {all-sites: true}\n`,
  }
}

async function problemsOf(files: Files): Promise<readonly string[]> {
  return (await validateRepository(snapshotOf(files), context)).problems.map(formatProblem)
}

/** All that is wrong is this, and each line of it is harmless to print. */
async function expectOnly(files: Files, place: RegExp, what: string): Promise<void> {
  const problems = await problemsOf(files)
  expect(problems, JSON.stringify(what)).not.to.deep.equal([])
  for (const problem of problems) expect(problem, JSON.stringify(what)).to.match(place)
}

describe('a version that looks like a path, or is no name', () => {
  it('X19 G24 is refused in a specification, with file and line', async () => {
    expect(await problemsOf(repository({}))).to.deep.equal([])
    for (const version of [...odd, '*', '.', '..', '...', '__proto__'])
      await expectOnly(
        repository({ version }),
        /^applications\/web\.yaml:2:10: \/version[ -~é]*\(application-invalid\)$/,
        version,
      )
  })

  it('A10 G24 is refused in a deployment, with file and line', async () => {
    for (const named of [...odd, '..', '.', '__proto__'])
      await expectOnly(
        repository({ named }),
        /^deployments\/web\.yaml:3:22: \/application-version[ -~é]*\(deployment-invalid\)$/,
        named,
      )
  })

  it('X19 A10 G24 is nothing with a letter, a digit, a dash or a plus sign, which a deployment can name too', async () => {
    for (const version of ['1.0', '..1', '1..', '-', '+.', '-rf', '1'.repeat(128)])
      expect(await problemsOf(repository({ version, named: version })), version).to.deep.equal([])
  })

  it('X19 G24 is refused as the tag of an image, with file and line', async () => {
    for (const tag of [...odd, '*', '..', '-x'])
      await expectOnly(
        repository({ tag }),
        /^environments\/prod\/manifest\.json:1:\d+: \/services\/0\/containers\/0\/dockerTag[ -~é]*\(manifest-invalid\)$/,
        tag,
      )
  })
})
