import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect } from 'chai'

const root = resolve(import.meta.dirname, '../../..')

describe('the time that a test may take', () => {
  it('is the same for all, because one of its own would measure the machine', () => {
    const own = /\bthis\.timeout\(|\)\.timeout\(\d/
    const files = globSync('test/**/*.test.ts', { cwd: root })
    const having = files.filter(path => own.test(readFileSync(join(root, path), 'utf8')))
    expect(files).to.not.be.empty
    expect(having).to.deep.equal([])
  })
})
