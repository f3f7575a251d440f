import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { run } from '../../../../lib/cli/program.ts'
import { openJournal } from '../../../../lib/journal/journal.ts'
import type { LastState } from '../../../../lib/reconcile/status/last-state.ts'

const sites = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l']

function stateOn(site: string): LastState {
  return {
    ...{ outcome: 'in-sync', sync: 'Synced', errors: [], isSeen: true },
    applications: [
      {
        ...{ site, application: 'shop', sync: 'Synced', health: 'Healthy', version: '1.0', reason: '' },
        ...{ running: 1, wanted: 1, commit: 'c0ffee0000000000000000000000000000000000' },
      },
    ],
  }
}

describe('status of an environment on twelve sites', () => {
  let stateDir = ''
  before(() => {
    stateDir = mkdtempSync(join(tmpdir(), 'tallyman-status-'))
    const journal = openJournal(join(stateDir, 'tallyman.sqlite'))
    for (const site of sites) journal.keepState('prod', site, stateOn(site), 1)
    journal.close()
  })
  after(() => rmSync(stateDir, { recursive: true }))

  /** What the command prints on both streams. */
  async function said(...flags: readonly string[]): Promise<{ readonly out: string; readonly err: string }> {
    let [out, err] = ['', '']
    const streams = {
      stdin: {},
      stdout: { write: (text: string) => (out += text) },
      stderr: { write: (text: string) => (err += text) },
    }
    await run(['node', 'tallyman', 'status', '--state-dir', stateDir, ...flags], '0', streams)
    return { out, err }
  }

  /** The column with the site of each row. */
  async function rows(...flags: readonly string[]): Promise<readonly string[]> {
    const { out } = await said(...flags)
    return [...out.matchAll(/^ {2}shop {2,}(.+?) {2}/gm)].map(([, site = '']) => site)
  }

  it('G13 is one row for all that are alike', async () => {
    expect(await rows()).to.deep.equal(['12 sites: a, b, c …'])
  })

  it('G13 has every row with --all, and those of chosen sites with --site', async () => {
    expect(await rows('--all')).to.deep.equal(sites)
    expect(await rows('--site', 'l', '--site', 'b')).to.deep.equal(['b', 'l'])
  })

  it('G13 names the sites that there are if --site names none of them', async () => {
    const { out, err } = await said('--site', 'z')
    expect(out).to.equal('')
    expect(err).to.include('there is no site "z"').and.include('There are: a, b, c, d,')
  })

  it('G13 contains all sites in JSON', async () => {
    const { out } = await said('--output', 'json', '--site', 'a')
    expect(JSON.parse(out)[0].applications).to.have.length(12)
  })
})
