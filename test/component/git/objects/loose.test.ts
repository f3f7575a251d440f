import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { expect } from 'chai'
import { openLoose } from '../../../../lib/git/objects/loose.ts'

describe('an object that has a file of its own', () => {
  let directory = ''
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'tallyman-loose-'))
  })
  afterEach(() => rmSync(directory, { recursive: true }))

  /** What is read of an object whose header says this, before so many bytes. */
  function read(header: string, bytes: number) {
    const oid = 'ab'.padEnd(40, '0')
    mkdirSync(join(directory, 'ab'))
    writeFileSync(
      join(directory, 'ab', oid.slice(2)),
      deflateSync(Buffer.concat([Buffer.from(`${header}\0`), Buffer.alloc(bytes, 'x')])),
    )
    return openLoose(directory).find(oid)
  }

  it('G24 is as large as its header says, if that is more than may be', () => {
    expect(read('blob 9000000', 9_000_000)).to.deep.equal({ type: 'oversized', size: 9_000_000 })
  })

  it('G24 is larger than may be, whatever its header says, if it is', () => {
    expect(read('blob 5', 9_000_000)).to.deep.equal({ type: 'oversized', size: 8_388_609 })
  })
})
