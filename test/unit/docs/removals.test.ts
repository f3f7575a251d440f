import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect } from 'chai'

const root = resolve(import.meta.dirname, '../../..')
const documents = ['README.md', 'SECURITY.md', 'CONTRIBUTING.md', ...globSync('docs/*.md', { cwd: root })]

/** The commands that a reader copies: each line of the blocks of a shell, continued lines as one. */
function commandsIn(document: string): readonly string[] {
  const text = readFileSync(join(root, document), 'utf8')
  const blocks = [...text.matchAll(/^```(?:sh|bash|console)\n(.*?)^```/gms)].map(([, block = '']) => block)
  return blocks.flatMap(block => block.replaceAll('\\\n', ' ').split('\n'))
}

/** What a command takes away on the engine or on the disk: its operands, each as it is written. */
function takenAway(command: string): readonly string[] {
  const [, operands = ''] =
    /\b(?:docker (?:rm|rmi|(?:container|network|volume|image) rm)|rm)\s+(.*?)(?:\s+#.*)?$/.exec(command) ?? []
  return (operands.match(/\$\([^)]*\)|\S+/g) ?? []).filter(one => !one.startsWith('-'))
}

/** What the commands of a document make: containers by name, images by tag, directories. */
function madeIn(commands: readonly string[]): readonly string[] {
  const text = commands.join('\n')
  const named = [...text.matchAll(/(?:--name|\bmkdir) (\S+)/g)].map(([, name = '']) => name)
  const built = [...text.matchAll(/\| build (\S+)/g)].map(([, tag = '']) => `localhost:5000/web:${tag}`)
  return [...named, ...built]
}

/** A search for what bears the name of the repository that the document itself has set up. */
const ofItsRepository = /^\$\(docker [^|;]*--filter label=tallyman\.source=tallyman-tour\)$/

describe('the commands of the documents', () => {
  it('G10 take away nothing but what they made', () => {
    const strays = documents.flatMap(document => {
      const commands = commandsIn(document)
      const made = madeIn(commands)
      return commands.flatMap(command =>
        takenAway(command)
          .filter(one => !made.includes(one) && !ofItsRepository.test(one))
          .map(one => `${document}: ${one}`),
      )
    })
    expect(strays).to.deep.equal([])
    expect(commandsIn('README.md').flatMap(takenAway)).to.have.length(7)
  })

  it('G10 clear no engine of whatever nobody seems to use', () => {
    const clearing = documents.flatMap(document =>
      commandsIn(document).filter(command => /\bdocker\b.*\bprune\b/.test(command)),
    )
    expect(clearing).to.deep.equal([])
  })
})
