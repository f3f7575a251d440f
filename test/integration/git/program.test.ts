import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { runProgram, startProgram } from '../../../lib/git/program.ts'
import { refused } from '../../support/failures/refused.ts'
import { waitUntil } from '../../support/time/wait-until.ts'

/** A directory with this script in place of a program, as what PATH has to be. */
async function scripted(name: string, line: string): Promise<AsyncDisposable & { readonly PATH: string }> {
  const directory = await mkdtempDisposable(join(tmpdir(), 'tallyman-program-'))
  await writeFile(join(directory.path, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 })
  return { PATH: `${directory.path}:/usr/bin:/bin`, [Symbol.asyncDispose]: directory.remove }
}

/** What OpenSSH does for a user without a line in /etc/passwd. */
const unknownUser = 'echo "No user exists for uid 65532" >&2; exit 255'

describe('a program of the system', () => {
  it('G24 ends when nobody reads on, however much it still says', async () => {
    await using yes = await scripted('ssh', 'exec yes')
    const program = startProgram('ssh', [], { PATH: yes.PATH })
    const { output } = program
    await output[Symbol.asyncIterator]().next()
    await waitUntil('no more fits', () => output.readableLength >= output.readableHighWaterMark)
    await program[Symbol.asyncDispose]()
    expect(await program.ended).to.deep.equal({ code: undefined, said: '' })
  })
  it('G13 that runs for no user without a name fails as that, and not as what it was asked about', async () => {
    for (const name of ['ssh', 'ssh-keygen'] as const) {
      await using refusing = await scripted(name, unknownUser)
      const { ended } = startProgram(name, [], { PATH: refusing.PATH })
      expect(await refused(ended)).to.equal(`program-failed: ${name}: No user exists for uid 65532`)
    }
  })

  it('G13 that ends for another reason, whatever words come with it, has ended', async () => {
    const others = [
      ['echo "No user exists for uid 65532" >&2; exit 1', 'No user exists for uid 65532\n', 1],
      [`echo hello >&2; ${unknownUser}`, 'hello\nNo user exists for uid 65532\n', 255],
    ] as const
    for (const [line, said, code] of others) {
      await using other = await scripted('ssh', line)
      expect(await startProgram('ssh', [], { PATH: other.PATH }).ended).to.deep.equal({ code, said })
    }
  })

  it('G13 that a signal ends has said nothing, so that no signature is bad because of it', async () => {
    await using killed = await scripted('ssh-keygen', 'kill -KILL $$')
    const { signal } = new AbortController()
    const ran = runProgram('ssh-keygen', { args: [], env: { PATH: killed.PATH } }, signal)
    expect(await refused(ran)).to.equal('program-failed: ssh-keygen: a signal ended it')
  })
})
