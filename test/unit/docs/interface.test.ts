import { expect } from 'chai'
import { exitCode } from '../../../lib/cli/exit.ts'
import { gitLimits } from '../../../lib/git/limits.ts'
import { label } from '../../../lib/state/labels.ts'
import { firstWords, readText, tableAfter } from '../../docs/documents.ts'

const operations = readText('docs/operations.md')
const commandsPage = readText('docs/commands.md')

describe('documented interface', () => {
  it('docs/configuration.md names every environment variable that is read, and no other', () => {
    const code = ['lib/config.ts', 'lib/config/overlay.ts'].map(readText).join('\n')
    const read = [...code.matchAll(/'(TALLYMAN_\w+)'/g)].map(([, name]) => name)
    expect(firstWords(tableAfter(readText('docs/configuration.md'), 'variables'))).to.have.members([
      ...new Set(read),
    ])
  })

  it('docs/commands.md names every command and every flag, and no other', () => {
    const program = ['lib/cli/program.ts', 'lib/cli/add-commands.ts'].map(readText).join('\n')
    const commands = [...program.matchAll(/command\(\s*'([\w-]+)/g)].map(([, name]) => name)
    const common = readText('lib/cli/options/common-options.ts')
    const flags = [...`${program}${common}`.matchAll(/'(--[\w-]+)/g)].map(([, name]) => name)
    const rows = tableAfter(commandsPage, 'commands')
    expect(firstWords(rows).map(usage => usage.split(' ')[0])).to.have.members(commands)
    const documented = [...rows, ...tableAfter(commandsPage, 'flags')].flatMap(cells => [
      ...cells.join(' ').matchAll(/--[\w-]+/g),
    ])
    expect([...new Set(documented.map(([name]) => name))]).to.have.members([
      ...new Set(flags.filter(name => name !== '--help')),
    ])
  })

  it('docs/commands.md says of every command once what it does without a daemon', () => {
    const commands = firstWords(tableAfter(commandsPage, 'commands')).map(usage => usage.split(' ')[0])
    const told = tableAfter(commandsPage, 'without-daemon').flatMap(([cell = '']) =>
      [...cell.matchAll(/`([\w-]+)`/g)].map(([, name]) => name),
    )
    const processes = ['daemon', 'metadata-service']
    expect(told).to.have.members(commands.filter(name => !processes.includes(String(name))))
  })

  it('docs/commands.md lists every exit code', () => {
    const listed = firstWords(tableAfter(commandsPage, 'exit codes')).map(Number)
    expect(listed).to.have.members(Object.values(exitCode))
  })

  it('docs/decisions/0001-libraries.md names every library, and no other', () => {
    const { dependencies } = JSON.parse(readText('package.json'))
    const listed = [...readText('docs/decisions/0001-libraries.md').matchAll(/^\| `([^`]+)`/gm)]
    expect(listed.map(([, name]) => name)).to.have.members(Object.keys(dependencies))
  })

  it('docs/operations.md lists every label', () => {
    expect(firstWords(tableAfter(operations, 'labels'))).to.have.members(Object.values(label))
  })

  it('G24 docs/operations.md lists the limits of a repository as they are', () => {
    const mebi = 1024 * 1024
    expect(tableAfter(operations, 'limits')).to.deep.equal([
      ['One answer of a git server that contains objects', `${gitLimits.packBytes / mebi} MiB`],
      ['Such an answer, decompressed', `${gitLimits.unfoldedBytes / mebi} MiB`],
      ['Objects in such an answer', gitLimits.objects.toLocaleString('en-US')],
      ['One file, or the listing of one directory', `${gitLimits.objectBytes / mebi} MiB`],
      ['All files of a local directory', `${gitLimits.directoryBytes / mebi} MiB`],
      ['Files and directories, once for each path', gitLimits.entries.toLocaleString('en-US')],
      ['Depth of directories', String(gitLimits.depth)],
      ['One answer of a git server without objects', `${gitLimits.refBytes / mebi} MiB`],
      ['Refs in such an answer', gitLimits.refs.toLocaleString('en-US')],
    ])
  })
})
