import { expect } from 'chai'
import { Failure, formatProblem, InvalidInput, type Problem } from '../../../lib/errors.ts'
import { anySecrets } from '../../../lib/spec/any-secrets.ts'
import { strictPolicy } from '../../../lib/spec/policy/policy.ts'
import { validateRepository } from '../../../lib/validate/repository.ts'
import applicationSchema from '../../../schemas/application.schema.json' with { type: 'json' }
import manifestSchema from '../../../schemas/manifest.schema.json' with { type: 'json' }
import { type Files, snapshotOf } from '../../support/builders/snapshot.ts'
import { placesWith } from '../../support/files/schema-places.ts'

const manifest = 'environments/prod/manifest.json'
const named = { [manifest]: '{"services": [{"name": "a"}]}' }

/** The most characters of a message, and of a line with its place and its code. */
const mostOfMessage = 1_000
const mostOfLine = 2_100

describe('what an error says of the input', () => {
  for (const text of [
    'x'.repeat(4_000),
    '1 - '.repeat(1_000),
    'ü!'.repeat(2_000),
    `a\n${'b\n'.repeat(2_000)}`,
  ])
    it(`G24 is cut wherever a specification or a manifest may hold a text: ${JSON.stringify(text.slice(0, 6))}…`, async () => {
      const specifications = placesWith(text, applicationSchema).map(({ document }) => ({
        ...named,
        'applications/a.yaml': JSON.stringify(document),
      }))
      const manifests = placesWith(text, manifestSchema).map(({ document }) => ({
        [manifest]: JSON.stringify(document),
      }))
      let told = 0
      for (const files of [...specifications, ...manifests]) told += expectShort(await problemsOf(files))
      expect(told).to.be.above(20)
    })

  const raw: readonly (readonly [string, Files])[] = [
    ['a long tag of YAML', { ...named, 'applications/a.yaml': `x-a: ${'!'.repeat(900_000)}` }],
    ['a long anchor of YAML', { ...named, 'applications/a.yaml': `x-a: *${'a'.repeat(900_000)}` }],
    [
      'a long number',
      {
        [manifest]: `{"services": [{"name": "a", "containers": [{"dockerTag": ${'9'.repeat(1_000_000)}}]}]}`,
      },
    ],
    ['a long word of JSON', { [manifest]: 'a'.repeat(1_000_000) }],
    [
      'a long key that is there twice',
      { [manifest]: `{"${'k'.repeat(400_000)}": 1, "${'k'.repeat(400_000)}": 2}` },
    ],
    [
      'a long path',
      {
        [`environments/prod/${'p'.repeat(9_000)}.json`]: '{',
        [manifest]: `{"includes": ["./${'p'.repeat(9_000)}.json"]}`,
      },
    ],
  ]
  for (const [what, files] of raw)
    it(`G24 is cut: ${what}`, async () => {
      expect(expectShort(await problemsOf(files))).to.be.above(0)
    })

  it('G24 keeps the beginning, which says where, and the end, and says how much is left out', () => {
    const { message } = new Failure('manifest-invalid', `a.json: ${'x'.repeat(2_000)} is no name`)
    expect(message).to.equal(
      `a.json: ${'x'.repeat(592)}… (1119 more characters) …${'x'.repeat(289)} is no name`,
    )
  })

  it('G24 is cut line by line in the output of a container, and after so many lines', () => {
    const { message } = new Failure('exited-early', `web exited:\n${'y'.repeat(2_000)}\nend`)
    expect(message.split('\n').map(line => line.length)).to.deep.equal([11, 926, 3])
    expect(new Failure('exited-early', 'a\n'.repeat(1_000_000)).message.length).to.be.below(35_000)
  })

  it('G24 is cut in hints as well', () => {
    const hint = `Rename ${'z'.repeat(5_000)}.`
    expect(new Failure('file-missing', 'a', { hint }).hint.length).to.be.at.most(mostOfMessage)
    expect(
      new InvalidInput([{ code: 'file-missing', message: 'a', hint }]).problems[0]?.hint?.length,
    ).to.be.below(mostOfLine)
  })
})

/** Checks both forms that problems are told in, and returns how many there are. */
function expectShort(problems: readonly Problem[]): number {
  for (const problem of problems) {
    expect(formatProblem(problem).length, formatProblem(problem).slice(0, 200)).to.be.below(mostOfLine)
    expect(problem.message.length, problem.message.slice(0, 200)).to.be.at.most(mostOfMessage)
    expect((problem.hint ?? '').length, problem.hint?.slice(0, 200)).to.be.at.most(mostOfMessage)
  }
  expect(problems.every(({ position }) => (position?.file ?? '').length <= mostOfMessage)).to.equal(true)
  return problems.length
}

async function problemsOf(files: Files): Promise<readonly Problem[]> {
  try {
    const { problems, warnings } = await validateRepository(snapshotOf(files), {
      source: 'https://git.example.com/ops/manifests',
      policy: strictPolicy,
      healthyMs: 5_000,
      sandboxImage: 'busybox:stable',
      secrets: anySecrets,
    })
    return [...problems, ...warnings]
  } catch (error) {
    if (error instanceof InvalidInput) return error.problems
    throw error
  }
}
