import { globSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { isThere, readText } from '../../docs/documents.ts'
import { promises, tried } from '../../docs/security.ts'

describe('SECURITY.md', () => {
  it('G23 says of nothing that it cannot happen without a test that tries, in docs/security-tests.md', () => {
    expect([...new Set(tried().map(({ sentence }) => sentence))]).to.deep.equal(promises())
  })

  it('G23 names tests that there are', () => {
    const missing = tried().filter(({ path, title }) => !isThere(path) || !hasTitle(readText(path), title))
    expect(missing).to.deep.equal([])
  })
})

/** Whether a test or a group of tests, perhaps one of a table, has the title. */
function hasTitle(source: string, title: string): boolean {
  return title !== '' && ["'", '"', '`'].some(quote => source.includes(`${quote}${title}${quote}`))
}

describe('the process', () => {
  it('G23 listens on sockets in files and on names of its own, and on an address only to tell pods what they are', () => {
    const root = join(import.meta.dirname, '../../..')
    const listening = globSync('lib/**/*.ts', { cwd: root }).flatMap(path =>
      [...readText(path).matchAll(/\.listen\((?:\{ path: )?(\w*)/g)].map(([, where]) => `${path}: ${where}`),
    )
    expect(listening.toSorted()).to.deep.equal([
      'lib/http/socket.ts: made',
      // in a container of its own, on networks with pods alone
      'lib/metadata-server/run.ts: port',
      'lib/writer.ts: name',
    ])
  })
})
