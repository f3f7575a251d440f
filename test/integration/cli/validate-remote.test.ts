import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { launcher } from '../../support/command/tallyman.ts'
import { startGitServer } from '../../support/git/git-server.ts'
import { createRepository } from '../../support/git/repository.ts'

describe('tallyman validate of a repository on a server', () => {
  it('G24 leaves nothing behind under a name that somebody else could use', async () => {
    await using server = await startGitServer()
    await using repository = await createRepository(server)
    await repository.commit({ 'environments/prod/manifest.json': '{"services": []}' })
    const temporary = await mkdtemp(join(tmpdir(), 'tallyman-shared-'))
    try {
      const env = { PATH: process.env['PATH'], HOME: temporary, TMPDIR: temporary }
      const args = ['validate', '--repository', repository.url]
      const { stderr } = await promisify(execFile)(launcher(), args, { cwd: temporary, env })
      expect(stderr).to.include('Everything is valid.')
      expect(await readdir(temporary)).to.deep.equal([])
    } finally {
      await rm(temporary, { recursive: true })
    }
  })
})
