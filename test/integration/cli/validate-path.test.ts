import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { catalogue } from '../../../lib/errors/catalogue.ts'
import { createTallymanHere, type TallymanHere } from '../../support/command/tallyman-here.ts'
import { git } from '../../support/git/git.ts'

const manifest = 'environments/prod/manifest.json'

describe('tallyman validate of a path', () => {
  it('E14 checks a directory as it is, whatever ref the configured repository has', async () => {
    await using tallyman = await scene()
    const directory = await files(tallyman, { [manifest]: '{"services": [' })
    const ran = await tallyman.run('validate', directory)
    expect(ran.stderr).to.not.include('has no ref')
    expect(ran.stdout).to.match(/^environments\/prod\/manifest\.json:1:15: .* \(json-invalid\)\n$/)
    expect(ran.code).to.equal(1)
  })

  it('G13 says once for each code what to do about it, beside the errors as editors read them', async () => {
    await using tallyman = await scene()
    const directory = await files(tallyman, {
      [manifest]: '{"services": [{}], "includes": ["a.json", "b.json"]}',
    })
    const ran = await tallyman.run('validate', directory)
    expect(ran.stdout.match(/\([a-z-]+\)$/gm)).to.deep.equal([
      '(manifest-invalid)',
      '(file-missing)',
      '(file-missing)',
    ])
    expect(ran.stderr.match(/^ {2}hint.*$/gm)).to.deep.equal([
      `  hint (manifest-invalid): ${catalogue['manifest-invalid'].hint}`,
      `  hint (file-missing): ${catalogue['file-missing'].hint}`,
    ])
    const { problems } = JSON.parse((await tallyman.run('validate', directory, '--output', 'json')).stdout)
    expect(problems.map(({ hint }: { hint?: string }) => hint)).to.deep.equal([
      catalogue['manifest-invalid'].hint,
      catalogue['file-missing'].hint,
      catalogue['file-missing'].hint,
    ])
  })

  it('G13 says what to do about errors of one code without naming the code again', async () => {
    await using tallyman = await scene()
    const directory = await files(tallyman, { [manifest]: '{"services": [' })
    const ran = await tallyman.run('validate', join(directory, manifest))
    expect(ran.stderr.match(/^ {2}hint.*$/gm)).to.deep.equal([`  hint: ${catalogue['json-invalid'].hint}`])
  })

  it('E14 checks the working tree of a repository, and a ref of it where the command names one', async () => {
    await using tallyman = await scene()
    const directory = await files(tallyman, { [manifest]: '{"services": []}' })
    await git(directory, ['init', '--quiet', '--initial-branch', 'main'])
    await git(directory, ['add', '.'])
    await git(directory, ['-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '-qm', 'Empty'])
    await files(tallyman, { [manifest]: '{"services": [' })
    expect((await tallyman.run('validate', directory)).stdout).to.include('(json-invalid)')
    expect((await tallyman.run('validate', directory, '--ref', 'main')).stderr).to.include(
      'Everything is valid.',
    )
  })

  it('says whose ref it is that a directory cannot have, and what to leave out', async () => {
    await using tallyman = await scene()
    const directory = await files(tallyman, { [manifest]: '{"services": []}' })
    const ran = await tallyman.run('validate', '--repository', directory)
    expect(ran.stderr).to.include(`${directory}: has no ref "main", because it is not a git repository`)
    expect(ran.stderr).to.include('hint: Leave out "ref" (of "repository" in the configuration,')
  })

  it('A60 G13 warns of windows that never open, in a configuration by itself and beside a repository', async () => {
    const opens = (daysOfWeek: string) => [
      { daysOfWeek, startTime: '00:00', timezone: 'UTC', duration: '1h' },
    ]
    const windows = { provider: opens('Monday'), owner: opens('Friday') }
    await using tallyman = await scene({ sites: [{ name: 'west', endpoint: 'tcp://west:2375', windows }] })
    const directory = await files(tallyman, { [manifest]: '{"services": []}' })
    const warning = /^warning: .*: no upgrade window of the site west ever opens: .* \(window-never-opens\)$/m
    for (const path of [directory, join(tallyman.directory, 'tallyman.yaml')]) {
      const ran = await tallyman.run('validate', path)
      expect(ran.stderr, path).to.match(warning)
      expect(ran.code, path).to.equal(0)
    }
  })

  it('E1 G13 refuses the name of an environment that the repository does not have', async () => {
    await using tallyman = await scene()
    const directory = await files(tallyman, { [manifest]: '{"services": []}' })
    const ran = await tallyman.run('validate', directory, '--environment', 'pord')
    expect(ran.stderr).to.include('did you mean "prod"?').and.to.include('(environment-not-found)')
    expect(ran.code).to.equal(1)
    expect((await tallyman.run('validate', directory, '--environment', 'prod')).code).to.equal(0)
  })

  it('refuses two places at once, of which it would check only one', async () => {
    await using tallyman = await scene()
    const directory = await files(tallyman, { [manifest]: '{"services": [' })
    const ran = await tallyman.run('validate', directory, '--repository', directory)
    expect(ran.stderr).to.include('give the path or "--repository", not both (wrong-usage)')
    expect(ran.code).to.equal(64)
  })
})

function scene(more: object = {}): Promise<TallymanHere> {
  return createTallymanHere(
    { repository: { url: 'https://git.example.com/shop.git', ref: 'main' }, ...more },
    '/dev/null',
  )
}

async function files(tallyman: TallymanHere, contents: Readonly<Record<string, string>>): Promise<string> {
  const root = join(tallyman.directory, 'files')
  for (const [path, content] of Object.entries(contents)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), content)
  }
  return root
}
