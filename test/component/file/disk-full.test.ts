import { tmpdir } from 'node:os'
import { expect } from 'chai'
import { isFull } from '../../../lib/file/disk-full.ts'

describe('a disk', () => {
  it('G25 is not full where there is room, where it has no size, and where nothing can be told of it', () => {
    expect([tmpdir(), '/proc', '/nowhere'].map(isFull)).to.deep.equal([false, false, false])
  })
})
