import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { run } from '../../../../lib/cli/program.ts'
import { openJournal } from '../../../../lib/journal/journal.ts'
import { notNamedReason } from '../../../../lib/plan/compare/orphaned.ts'
import type { LastState } from '../../../../lib/reconcile/status/last-state.ts'

/** A deployment named `shop` alone, and it is gone. */
const state: LastState = {
  ...{ outcome: 'needs-confirmation', sync: 'OutOfSync', errors: [], isSeen: true },
  applications: [
    {
      ...{ site: 'west', application: 'shop', sync: 'OutOfSync', health: 'Healthy', version: '1.0' },
      ...{ running: 1, wanted: 0, reason: notNamedReason },
      ...{ commit: 'c0ffee0000000000000000000000000000000000' },
    },
  ],
}

describe('a deployment that somebody asks for', () => {
  let stateDir = ''
  before(() => {
    stateDir = mkdtempSync(join(tmpdir(), 'tallyman-deployment-'))
    const journal = openJournal(join(stateDir, 'tallyman.sqlite'))
    journal.keepState('prod', 'west', state, 1)
    journal.close()
  })
  after(() => rmSync(stateDir, { recursive: true }))

  async function told(name: string) {
    let [out, err] = ['', '']
    const streams = {
      stdin: {},
      stdout: { write: (text: string) => (out += text) },
      stderr: { write: (text: string) => (err += text) },
    }
    const code = await run(['node', 'tallyman', 'deployment', name, '--state-dir', stateDir], '0', streams)
    return { code, out, err }
  }

  async function refusalOf(name: string): Promise<readonly string[]> {
    const { code, err } = await told(name)
    expect(code).to.equal(64)
    return err.trim().split('\n')
  }

  it('A26 G13 says of an application that no deployment names it, and where to read what becomes of it', async () => {
    expect(await refusalOf('shop')).to.deep.equal([
      'Error: shop has no deployment (wrong-usage)',
      '  hint: No file under deployments/ names it. "tallyman status" says where it runs, and what becomes of it there.',
    ])
  })

  it('G13 says of another name that nobody knows it', async () => {
    expect(await refusalOf('shpo')).to.deep.equal([
      'Error: there is no deployment "shpo" (wrong-usage)',
      '  hint: No deployment is known, so there is none to name.',
    ])
  })

  it('G13 is shown as it was last known where no daemon runs, which it says', async () => {
    const journal = openJournal(join(stateDir, 'tallyman.sqlite'))
    const placement = { kind: 'all-sites' } as const
    journal.setPlacement('prod', {
      deployment: { name: 'everywhere', application: 'blog', placement, revision: 'r1', healthyMs: 0 },
      ...{ sites: ['west'], canaries: [], known: { west: '' } },
    })
    journal.beginRun({
      ...{ environment: 'prod', deployment: 'everywhere', application: 'blog', version: '2' },
      ...{ content: 'c2', seed: 1, atMs: 1 },
    })
    journal.close()
    const { code, out } = await told('everywhere')
    expect(code).to.equal(1)
    expect(out.split('\n').slice(0, 2).join('\n')).to.match(
      /^prod: no daemon runs; this is the last known state, at 1970-01-01T00:00:00.001Z \(\d+ days ago\)\nDeployment everywhere in prod$/,
    )
  })
})
