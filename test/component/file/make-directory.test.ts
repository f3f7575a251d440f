import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { makeDirectory } from '../../../lib/file/make-directory.ts'

describe('making a directory', () => {
  let directory = ''
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'tallyman-make-'))
  })
  afterEach(() => rmSync(directory, { recursive: true }))

  it('makes those above it too, for their owner alone, and leaves what is there as it is', () => {
    const deep = join(directory, 'a', 'b', 'c')
    makeDirectory(deep)
    makeDirectory(deep)
    expect((statSync(join(directory, 'a')).mode & 0o777).toString(8)).to.equal('700')
    expect((statSync(deep).mode & 0o777).toString(8)).to.equal('700')
  })

  it('ends with the words of the system where none can be made', () => {
    expect(() => makeDirectory('/proc/nothing/here')).to.throw(/ENOENT/)
    writeFileSync(join(directory, 'file'), '')
    expect(() => makeDirectory(join(directory, 'file'))).to.throw(/EEXIST/)
    expect(() => makeDirectory(join(directory, 'file', 'below'))).to.throw(/ENOTDIR/)
  })
})
