import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { startProgram } from '../../../lib/git/program.ts'
import { waitUntil } from '../../support/wait-until.ts'

describe('a program of the system', () => {
  it('G24 ends when nobody reads on, however much it still says', async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), 'tallyman-program-'))
    await writeFile(join(directory.path, 'ssh'), '#!/bin/sh\nexec yes\n', { mode: 0o755 })
    const program = startProgram('ssh', [], { PATH: `${directory.path}:/usr/bin:/bin` })
    const { output } = program
    await output[Symbol.asyncIterator]().next()
    await waitUntil('no more fits', () => output.readableLength >= output.readableHighWaterMark)
    await program[Symbol.asyncDispose]()
    expect(await program.ended).to.deep.equal({ code: undefined, said: '' })
  })
})
