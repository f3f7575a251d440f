import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect } from 'chai'

const root = resolve(import.meta.dirname, '../../..')

describe('the files of the code that documents name', () => {
  it('are there, by that name or its end', () => {
    const files = globSync('{bin,lib,schemas,test}/**/*.ts', { cwd: root }).map(path => `/${path}`)
    const documents = globSync(['*.md', 'docs/**/*.md'], { cwd: root }).filter(
      name => name !== 'CHANGELOG.md',
    )
    const named = documents.flatMap(document =>
      [...readFileSync(resolve(root, document), 'utf8').matchAll(/`((?:[a-z0-9-]+\/)+[a-z0-9-]+\.ts)`/g)].map(
        ([, file = '']) => ({ document, file }),
      ),
    )
    expect(named.length).to.be.above(20)
    expect(named.filter(({ file }) => !files.some(path => path.endsWith(`/${file}`)))).to.deep.equal([])
  })
})
