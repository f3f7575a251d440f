import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempDisposableSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect } from 'chai'

const main = resolve(import.meta.dirname, '../../../lib/cli/main.ts')

describe('a daemon that waits until it can start', () => {
  it('G12 goes on to wait after SIGHUP, which only asks it to read its sites', async () => {
    using place = mkdtempDisposableSync(join(tmpdir(), 'tallyman-hang-up-'))
    const stateDir = join(place.path, 'state')
    mkdirSync(stateDir)
    symlinkSync(join(place.path, 'away', 'tallyman.sqlite'), join(stateDir, 'tallyman.sqlite'))
    const daemon = spawn(
      process.execPath,
      [main, 'daemon', '--repository', place.path, '--state-dir', stateDir],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    )
    const ended = once(daemon, 'close')
    let tries = 0
    for await (const text of daemon.stderr.setEncoding('utf8')) {
      tries += text.split('cannot start yet').length - 1
      if (tries === 1) daemon.kill('SIGHUP')
      if (tries > 1) daemon.kill('SIGTERM')
    }
    expect(await ended).to.deep.equal([0, null])
    expect(tries).to.equal(2)
  })
})
