import { execFileSync } from 'node:child_process'
import { mkdtempDisposableSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { readRegular } from '../../lib/read-regular.ts'

/** What it fails with, by its code. */
function codeOf(path: string): Promise<unknown> {
  return readRegular(path).then(
    () => 'nothing',
    error => error.code,
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
    const codes = await Promise.all([pipe, directory.path, '/dev/zero', join(pipe, 'x')].map(codeOf))
    expect(codes).to.deep.equal(['not a file', 'not a file', 'not a file', 'ENOTDIR'])
  })
})
