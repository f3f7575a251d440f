import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { run } from '../../../lib/cli/program.ts'
import { sinks } from '../../support/command/sinks.ts'
import { createTallymanHere } from '../../support/command/tallyman-here.ts'

describe('a command that fails', () => {
  it('G14 prints one JSON document also for a command line that cannot be understood', async () => {
    for (const wrong of [['nope'], ['plan', '--nope'], ['approve'], ['plan', 'one', 'two']]) {
      const ran = await said(...wrong, '--output', 'json')
      expect(ran.code).to.equal(64)
      expect(JSON.parse(ran.stdout).error.code, wrong.join(' ')).to.equal('wrong-usage')
      const text = await said(...wrong)
      expect([text.code, text.stdout]).to.deep.equal([64, ''])
    }
  })

  it('G13 G14 tells each error in a file with its place', async () => {
    await using tallyman = await createTallymanHere({ repository: { url: '/nowhere' } }, '/dev/null')
    const broken = join(tallyman.directory, 'broken.yaml')
    await writeFile(broken, 'poll: soon\nnope: 1\n')
    const ran = await said('--config', broken, '--output', 'json', 'plan')
    const { error, errors } = JSON.parse(ran.stdout)
    expect(error.code).to.equal('config-invalid')
    expect(errors.map(({ position }: { position: { line: number } }) => position.line)).to.have.members([
      1, 2,
    ])
  })
})

describe('flags before the command', () => {
  it('count as after it, for every flag that every command takes', async () => {
    await using tallyman = await createTallymanHere({ repository: { url: '/nowhere' } }, '/dev/null')
    const broken = join(tallyman.directory, 'broken.yaml')
    await writeFile(broken, 'poll: soon')
    const ran = await said('--config', broken, 'validate')
    expect(ran.code).to.equal(1)
    expect(ran.stderr).to.include('broken.yaml:1:7')
    const asJson = await said('--output', 'json', '--no-color', 'validate', broken)
    expect(JSON.parse(asJson.stdout).problems).to.have.length(1)
  })

  it('are refused a second time after it, and joined where they may be repeated', async () => {
    const twice = await said('--ref', 'main', 'plan', '--ref', 'next')
    expect(twice.code).to.equal(64)
    expect(twice.stderr).to.include(
      "option '--ref <ref>' stands before the command and after it. It may be given once",
    )
    await using tallyman = await createTallymanHere({ repository: { url: '/nowhere' } }, '/dev/null')
    const joined = await said(
      '--environment',
      '',
      ...['plan', '--environment', ''],
      ...fileOf(tallyman.directory),
    )
    expect(joined.stderr).to.include('/environments/0').and.to.include('/environments/1')
  })

  it('are no flags of one command alone', async () => {
    const ran = await said('--verbose', 'plan')
    expect(ran.code).to.equal(64)
    expect(ran.stderr).to.include("unknown option '--verbose'")
  })
})

const fileOf = (directory: string) => ['--config', join(directory, 'tallyman.yaml')]

async function said(...args: readonly string[]) {
  const { streams, said: saidBy } = sinks()
  const code = await run(['node', 'tallyman', ...args], '0.0.0', streams)
  return { code, ...saidBy() }
}
