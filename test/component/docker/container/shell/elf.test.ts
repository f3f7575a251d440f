import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { needsLoader } from '../../../../../lib/docker/container/shell/elf.ts'

describe('a program', () => {
  it('C13 of this machine that is linked with libraries needs a loader', () => {
    expect(needsLoader(readFileSync(process.execPath))).to.equal(true)
  })
})
