import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { log, show } from '../../../../lib/cli/commands/log.ts'
import { createOutput } from '../../../../lib/cli/output/output.ts'
import { openJournal } from '../../../../lib/journal/journal.ts'
import { sinks } from '../../../support/command/sinks.ts'

describe('log and show, asked for what there is not', () => {
  let stateDir = ''
  before(() => {
    stateDir = mkdtempSync(join(tmpdir(), 'tallyman-log-'))
    const journal = openJournal(join(stateDir, 'tallyman.sqlite'))
    for (let number = 1; number <= 42; number += 1)
      journal.beginPass({ environment: 'prod', site: 'north', trigger: 'poll', atMs: number })
    journal.close()
  })
  after(() => rmSync(stateDir, { recursive: true }))

  const output = createOutput({})
  for (const pass of ['99', '0', 'abc', '1.5', '-1', ''])
    it(`G13 show ${JSON.stringify(pass)} says which passes are known`, async () => {
      expect(await messageOf(show(output, { stateDir }, pass))).to.equal(
        `there is no pass ${JSON.stringify(pass)}: passes 1 to 42 are known`,
      )
    })

  it('G13 show says what became of the number of a pass that is counted with an earlier one', async () => {
    const own = mkdtempSync(join(tmpdir(), 'tallyman-log-'))
    const journal = openJournal(join(own, 'tallyman.sqlite'))
    const passOver = (site: string) =>
      journal.endPass(journal.beginPass({ environment: 'prod', site, trigger: 'poll', atMs: 1 }), {
        ...{ outcome: 'in-sync', sync: 'Synced', atMs: 2 },
      })
    expect(['north', 'north', 'south'].map(passOver)).to.deep.equal([1, 1, 3])
    journal.close()
    expect(await messageOf(show(output, { stateDir: own }, '2'))).to.equal(
      'there is no pass "2": passes 1 to 3 are known, but for those that are counted with an earlier one, which came to the same, and those that made room for newer ones',
    )
    rmSync(own, { recursive: true })
  })

  it('G13 show --environment does not show a pass of another one', async () => {
    const own = mkdtempSync(join(tmpdir(), 'tallyman-log-'))
    const journal = openJournal(join(own, 'tallyman.sqlite'))
    for (const environment of ['prod', 'dev'])
      journal.beginPass({ environment, site: 'north', trigger: 'poll', atMs: 1 })
    journal.close()
    const shown = (...environment: readonly string[]) => show(output, { stateDir: own, environment }, '2')
    expect(await messageOf(shown('prod'))).to.equal('pass 2 is of the environment "dev", and not of "prod"')
    expect(await messageOf(shown('pro'))).to.equal('there is no environment "pro"; did you mean "prod"?')
    rmSync(own, { recursive: true })
  })

  for (const limit of ['abc', '0', '-3', '1.5', '', '0x10'])
    it(`G13 log --limit ${JSON.stringify(limit)} says what a limit is`, async () => {
      expect(await messageOf(log(output, { stateDir, limit }))).to.equal(
        `--limit ${JSON.stringify(limit)} is not a whole number above 0, such as 50`,
      )
    })

  it('G13 log --site names a site that passes were made over', async () => {
    const wrong = log(output, { stateDir, limit: '50', site: 'nort' })
    expect(await messageOf(wrong)).to.equal('there is no site "nort"; did you mean "north"?')
    const answers = log(output, { stateDir, limit: '50', site: 'north', answers: true })
    expect(await messageOf(answers)).to.equal('--site is about passes, and not about --answers')
  })

  it('G13 log --site knows a site of which only the state is on record, and says that its log is empty', async () => {
    const own = mkdtempSync(join(tmpdir(), 'tallyman-log-'))
    const journal = openJournal(join(own, 'tallyman.sqlite'))
    journal.beginPass({ environment: 'prod', site: 'north', trigger: 'poll', atMs: 1 })
    journal.keepState('prod', 'south', {}, 1)
    journal.close()
    const { streams, said } = sinks()
    const flags = { stateDir: own, limit: '50', site: 'south' }
    expect(await log(createOutput({}, streams), flags)).to.equal(0)
    expect(said().stdout).to.equal('The log is empty.\n')
    rmSync(own, { recursive: true })
  })

  it('G13 log --since says that there is nothing since then, and not that there is nothing', async () => {
    const { streams, said } = sinks()
    expect(await log(createOutput({}, streams), { stateDir, limit: '50', since: '2099-01-01' })).to.equal(0)
    expect(said().stdout).to.equal('The log has nothing since then.\n')
  })

  it('G13 log --since says what a time is', async () => {
    expect(await messageOf(log(output, { stateDir, limit: '50', since: 'nonsense' }))).to.equal(
      '"nonsense" is neither a duration such as 2h nor a date such as 2026-01-31',
    )
  })
})

async function messageOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'done',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )
}
