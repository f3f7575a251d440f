import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { isAnswered } from '../../../lib/cli/client/client.ts'
import { loadConfig } from '../../../lib/config.ts'
import { runDaemon } from '../../../lib/daemon/run.ts'
import type { Log } from '../../../lib/log.ts'

describe('a daemon that cannot start', () => {
  let directory = ''
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'tallyman-daemon-'))
  })
  afterEach(() => rmSync(directory, { recursive: true }))

  it('G24 ends all that it began, so that nothing keeps the process', async () => {
    const config = {
      ...loadConfig({ repository: directory, stateDir: join(directory, 'state') }, {}),
      poll: { cron: '0 0 31 2 *' },
    }
    const { signal } = new AbortController()
    const reason = await runDaemon(config, silent, signal).catch((error: unknown) => error)
    expect(String(reason)).to.include('31 2 is an impossible day of month')
    expect(await isAnswered(join(config.stateDir, 'control.sock'))).to.equal(false)
  })
})

const nothing = () => undefined
const silent: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing, with: () => silent }
