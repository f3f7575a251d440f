import { expect } from 'chai'
import { Command } from 'commander'
import { exitCode } from '../../../../lib/cli/exit.ts'
import { refuseRepeats, repeatable } from '../../../../lib/cli/options/what-is-given.ts'
import { run } from '../../../../lib/cli/program.ts'
import { firstWords, readText, tableAfter } from '../../../docs/documents.ts'

describe('an option with a value', () => {
  it('A66 G13 is refused when it is given twice, and not heard in part, for every command', async () => {
    const usages = firstWords(tableAfter(readText('docs/commands.md'), 'commands'))
    const all = usages.map(usage => usage.split(' ')[0] ?? '')
    // A container runs it, and it has no repository.
    const commands = [...new Set(all)].filter(name => name !== 'metadata-service')
    expect(commands).to.include.members(['daemon', 'plan', 'log', 'drain'])
    const refusals = await Promise.all(
      commands.map(command => errorsOf([command, '--ref', 'main', '--ref', 'next'])),
    )
    expect(refusals.map(({ code }) => code)).to.deep.equal(commands.map(() => exitCode.wrongUsage))
    for (const { text } of refusals)
      expect(text).to.contain("option '--ref <ref>' argument 'next' is invalid. It may be given once")
  })

  it('G13 is refused the second time also if it has choices or a default', async () => {
    const { text } = await errorsOf(['log', '--limit', '3', '--limit', '5'])
    expect(text).to.contain("option '--limit <count>' argument '5' is invalid. It may be given once")
    const json = await errorsOf(['status', '--output', 'json', '--output', 'text'])
    expect(json.text).to.contain("option '--output <form>' argument 'text' is invalid. It may be given once")
    const site = await errorsOf(['log', '--site', 'south', '--site', 'north'])
    expect(site.text).to.contain("option '--site <name>' argument 'north' is invalid. It may be given once")
  })

  it('is collected if it may be repeated, and a flag may be', () => {
    const command = new Command().exitOverride().option('--site <name>', 'a site', repeatable).option('--all')
    refuseRepeats(command)
    command.parse(['--site', 'south', '--all', '--site', 'north', '--all'], { from: 'user' })
    expect(command.opts()).to.deep.equal({ site: ['south', 'north'], all: true })
  })
})

describe('an argument', () => {
  it('G13 is refused when it is empty, as one of a variable that nobody has set, for every command that takes one', async () => {
    const usages = firstWords(tableAfter(readText('docs/commands.md'), 'commands'))
    const taking = usages.flatMap(usage => {
      const [name = '', argument = ''] = usage.split(' ')
      return /^[<[]/.test(argument) ? [name] : []
    })
    const commands = [...new Set(taking)]
    expect(commands).to.include.members(['approve', 'rollback', 'show', 'validate'])
    for (const command of commands)
      for (const empty of ['', ' ']) {
        const { code, text } = await errorsOf([command, empty])
        expect(code, command).to.equal(exitCode.wrongUsage)
        expect(text, command).to.contain('It must not be empty.')
      }
  })
})

async function errorsOf(argv: readonly string[]): Promise<{ readonly code: number; readonly text: string }> {
  const errors: string[] = []
  const streams = {
    stdin: { isTTY: false },
    stdout: { isTTY: false, write: () => true },
    stderr: { isTTY: false, write: (text: string) => errors.push(text) > 0 },
  }
  const code = await run(['node', 'tallyman', ...argv], '0', streams)
  return { code, text: errors.join('') }
}
