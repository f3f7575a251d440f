import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { run } from '../../../../lib/cli/program.ts'
import { openJournal } from '../../../../lib/journal/journal.ts'
import type { LastState } from '../../../../lib/reconcile/status/last-state.ts'

const stateOn = (site: string): LastState => ({
  ...{ outcome: 'in-sync', sync: 'Synced', errors: [], isSeen: true },
  applications: [
    {
      ...{ site, application: 'shop', sync: 'Synced', health: 'Healthy', version: '1.0', reason: '' },
      ...{ running: 1, wanted: 1, commit: 'c0ffee0000000000000000000000000000000000' },
    },
  ],
})

describe('force-upgrade without a terminal and without --yes', () => {
  let stateDir = ''
  before(() => {
    stateDir = mkdtempSync(join(tmpdir(), 'tallyman-force-'))
    const journal = openJournal(join(stateDir, 'tallyman.sqlite'))
    for (const site of ['west', 'east']) journal.keepState('prod', site, stateOn(site), 1)
    journal.close()
  })
  after(() => rmSync(stateDir, { recursive: true }))

  async function said(...words: readonly string[]): Promise<{ readonly code: number; readonly err: string }> {
    let err = ''
    const streams = {
      stdin: {},
      stdout: { write: () => {} },
      stderr: { write: (text: string) => (err += text) },
    }
    const code = await run(
      ['node', 'tallyman', 'force-upgrade', '--state-dir', stateDir, ...words],
      '0',
      streams,
    )
    return { code, err }
  }

  it('A66 G13 asks for a confirmation of what there is', async () => {
    const { code, err } = await said('shop', '--site', 'west', '--site', 'east')
    expect(code).to.equal(3)
    expect(err).to.include('confirm with --yes')
  })

  it('A66 G13 asks for none of an application or a site that nobody knows', async () => {
    for (const [words, message] of [
      [['shpo'], 'there is no application "shpo"; did you mean "shop"?'],
      [['shop', '--site', 'wset'], 'there is no site "wset"; did you mean "west"?'],
      [['--site', 'moon'], 'there is no site "moon"'],
      [['--site', 'west', '--site', 'moon'], 'there is no site "moon"'],
    ] as const) {
      const { code, err } = await said(...words)
      expect(code).to.equal(64)
      expect(err).to.include(message).and.not.include('--yes')
    }
  })
})
