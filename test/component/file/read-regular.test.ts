import { execFileSync } from 'node:child_process'
import { mkdtempDisposableSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { readRegular, readRegularNow } from '../../../lib/file/read-regular.ts'

/** What it fails with, by its code, when it is read at once and when it is waited for. */
async function codesOf(path: string, bound?: { readonly mostBytes: number }): Promise<readonly unknown[]> {
  const ways = [readRegular, async () => readRegularNow(path, bound)]
  return Promise.all(
    ways.map(way =>
      way(path, bound).then(
        () => 'nothing',
        error => error.code,
      ),
    ),
  )
}

describe('a file that the operator names', () => {
  it('G24 is read with what the system says of it', async () => {
    using directory = mkdtempDisposableSync(join(tmpdir(), 'tallyman-file-'))
    const file = join(directory.path, 'key')
    writeFileSync(file, 'secret\n', { mode: 0o600 })
    const { bytes, stats } = await readRegular(file)
    expect([bytes.toString(), stats.mode & 0o777]).to.deep.equal(['secret\n', 0o600])
  })

  it('G24 is refused at once if it is a pipe to which nobody writes, a directory, a device, or missing', async () => {
    using directory = mkdtempDisposableSync(join(tmpdir(), 'tallyman-file-'))
    const pipe = join(directory.path, 'pipe')
    execFileSync('mkfifo', [pipe])
    for (const [path, code] of [
      [pipe, 'not a file'],
      [directory.path, 'not a file'],
      ['/dev/zero', 'not a file'],
      [join(pipe, 'x'), 'ENOTDIR'],
    ] as const)
      expect(await codesOf(path), path).to.deep.equal([code, code])
  })

  it('G24 is refused if it is larger than whoever reads it wants', async () => {
    using directory = mkdtempDisposableSync(join(tmpdir(), 'tallyman-file-'))
    const file = join(directory.path, 'large')
    writeFileSync(file, '1234')
    expect(await codesOf(file, { mostBytes: 3 })).to.deep.equal(['too large', 'too large'])
    expect(await codesOf(file, { mostBytes: 4 })).to.deep.equal(['nothing', 'nothing'])
  })

  it('G24 is refused if it is larger than anything that is read so, where nobody says how large it may be', async () => {
    using directory = mkdtempDisposableSync(join(tmpdir(), 'tallyman-file-'))
    const file = join(directory.path, 'key')
    writeFileSync(file, '')
    truncateSync(file, 32 * 1024 ** 2 + 1)
    expect(await readRegular(file).catch(error => error.code)).to.equal('too large')
  })

  it('G24 is not read on and on where the system does not say how large it is', async () => {
    const endless = '/proc/self/pagemap'
    // It is read by words of eight bytes.
    const bound = { mostBytes: 1024 ** 2 - 1 }
    expect(await codesOf(endless, bound)).to.deep.equal(['too large', 'too large'])
    expect(readRegularNow(endless)).to.have.length(0)
  })

  it('G24 is read to its end also where the system says that it is empty', async () => {
    const bound = { mostBytes: 1024 ** 2 }
    const { bytes } = await readRegular('/proc/self/limits', bound)
    expect(bytes.toString()).to.match(/^Limit .+\n$/s)
    expect(readRegularNow('/proc/self/limits', bound)).to.deep.equal(bytes)
  })

  it('G24 is read whole also if it is as large as may be', async () => {
    using directory = mkdtempDisposableSync(join(tmpdir(), 'tallyman-file-'))
    const file = join(directory.path, 'large')
    const bytes = Buffer.alloc(300_000, 'line\n')
    writeFileSync(file, bytes)
    for (const bound of [undefined, { mostBytes: 300_000 }]) {
      expect((await readRegular(file, bound)).bytes.equals(bytes)).to.equal(true)
      expect(readRegularNow(file, bound).equals(bytes)).to.equal(true)
    }
  })
})
