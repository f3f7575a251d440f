import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { run } from '../../../../lib/cli/program.ts'
import type { ControlOptions } from '../../../../lib/http/controlled.ts'
import { serveControl } from '../../../../lib/http/socket.ts'
import { sinks } from '../../../support/command/sinks.ts'

const dockerfile = readFileSync(join(import.meta.dirname, '../../../../Dockerfile'), 'utf8')
const [, command = ''] = /^HEALTHCHECK .*\\\n +CMD (\[.*\])$/m.exec(dockerfile) ?? []
const [, ...check]: readonly string[] = JSON.parse(command)

/** A daemon on the socket whose environments, sites and journal cannot be looked at. */
function unknowable(file: string): ControlOptions & { readonly file: string } {
  return {
    file,
    nowMs: () => 0,
    get running(): never {
      throw new Error('its environments were looked at')
    },
    get journal(): never {
      throw new Error('its journal was looked at')
    },
  }
}

describe('the check of the image', () => {
  let file = ''
  beforeEach(() => {
    file = join(mkdtempSync(join(tmpdir(), 'tallyman-ping-')), 'control.sock')
  })
  afterEach(() => rmSync(join(file, '..'), { recursive: true }))

  /** Runs what the image runs, on the socket of the test. */
  async function checked(...flags: readonly string[]) {
    const { streams, said } = sinks()
    const args = check.map(arg => (arg === '/var/lib/tallyman/control.sock' ? file : arg))
    const code = await run(['node', 'tallyman', ...args, ...flags], '0.0.0', streams)
    return { code, ...said() }
  }

  it('G17 learns that the daemon answers, and asks it for nothing that takes longer with more sites', async () => {
    const served = await serveControl(unknowable(file))
    try {
      expect(await checked()).to.deep.equal({ code: 0, stdout: 'The daemon answers.\n', stderr: '' })
      const { stdout } = await checked('--output', 'json')
      expect(JSON.parse(stdout)).to.deep.equal({ answers: true })
    } finally {
      await served.close()
    }
  })

  it('G13 fails while no daemon answers', async () => {
    const { code, stdout, stderr } = await checked()
    expect([code, stdout]).to.deep.equal([1, ''])
    expect(stderr).to.match(/^Error: no daemon answers on .*control\.sock \(daemon-unreachable\)\n/)
  })
})
