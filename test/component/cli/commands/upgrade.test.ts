import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { run } from '../../../../lib/cli/program.ts'
import { openJournal } from '../../../../lib/journal/journal.ts'
import type { LastState } from '../../../../lib/reconcile/status/last-state.ts'

/** `shop` runs in version 1.0, and its last commits want 1.1, which was passed over, and 2.0. */
const stateOn = (site: string): LastState => ({
  ...{ outcome: 'in-sync', sync: 'Synced', errors: [], isSeen: true },
  applications: [
    {
      ...{ site, application: 'shop', sync: 'Synced', health: 'Healthy', version: '1.0', reason: '' },
      ...{ running: 1, wanted: 1, commit: 'c0ffee0000000000000000000000000000000000' },
      queue: [
        { version: '1.1', state: 'skipped' },
        { version: '2.0', state: 'next' },
      ],
    },
  ],
})

describe('force-upgrade without a terminal and without --yes', () => {
  let stateDir = ''
  before(() => {
    stateDir = mkdtempSync(join(tmpdir(), 'tallyman-force-'))
    const journal = openJournal(join(stateDir, 'tallyman.sqlite'))
    for (const site of ['west', 'east']) journal.keepState('prod', site, stateOn(site), 1)
    journal.keepState('stage', 'west', stateOn('west'), 1)
    journal.close()
    const sites = ['west', 'east'].map(
      name => `{name: ${name}, endpoint: "unix:///nonexistent/${name}.sock"}`,
    )
    writeFileSync(
      join(stateDir, 'tallyman.yaml'),
      `stateDir: ${stateDir}\nrepository: {url: ${stateDir}}\nsites: [${sites.join(', ')}]\n`,
    )
  })
  after(() => rmSync(stateDir, { recursive: true }))

  type Said = { readonly code: number; readonly out: string; readonly err: string }

  async function said(...words: readonly string[]): Promise<Said> {
    let [out, err] = ['', '']
    const streams = {
      stdin: {},
      stdout: { write: (text: string) => (out += text) },
      stderr: { write: (text: string) => (err += text) },
    }
    const config = join(stateDir, 'tallyman.yaml')
    const code = await run(['node', 'tallyman', 'force-upgrade', '--config', config, ...words], '0', streams)
    return { code, out, err }
  }

  const inProd = ['--environment', 'prod']

  it('A66 G13 asks for a confirmation of what there is', async () => {
    const { code, out, err } = await said('shop', '--site', 'west', '--site', 'east', ...inProd)
    expect(code).to.equal(3)
    expect(out).to.equal('In prod:\n  shop on east: 1.0 → 2.0\n  shop on west: 1.0 → 2.0\n')
    expect(err).to.include('confirm with --yes')
  })

  it('A66 G13 D4 shows the version that a yes forces, and not the wanted one', async () => {
    const { code, out } = await said('shop', '1.1', '--site', 'west', ...inProd)
    expect([code, out]).to.deep.equal([3, 'In prod:\n  shop on west: 1.0 → 1.1\n'])
  })

  it('A66 G13 prints one document in JSON', async () => {
    const { code, out } = await said('shop', '--site', 'west', '--output', 'json', ...inProd)
    expect(code).to.equal(3)
    expect(JSON.parse(out)).to.deep.equal({
      environment: 'prod',
      forced: [],
      wouldForce: [{ site: 'west', application: 'shop', version: '2.0', runs: '1.0' }],
    })
  })

  it('A66 G13 asks for none of what a yes would be refused for', async () => {
    for (const [words, message] of [
      [['shpo', ...inProd], 'there is no application "shpo"; did you mean "shop"?'],
      [['shop', '--site', 'wset', ...inProd], 'there is no site "wset"; did you mean "west"?'],
      [['--site', 'moon', ...inProd], 'there is no site "moon"'],
      [['--site', 'west', '--site', 'moon', ...inProd], 'there is no site "moon"'],
      [['shop', '9.9', ...inProd], 'version 9.9 of shop does not wait; these do: 1.1, 2.0'],
      [['shop'], 'several environments'],
    ] as const) {
      const { code, out, err } = await said(...words)
      expect(code).to.equal(64)
      expect(err).to.include(message).and.not.include('--yes')
      expect(out).to.equal('')
    }
  })
})
