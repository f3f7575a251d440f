import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { openJournal } from '../../../lib/journal/journal.ts'

/** Begins a pass, records one step of it, and dies without a chance to tidy up. */
const victim = `
  const { openJournal } = await import(process.argv[1])
  const journal = openJournal(process.argv[2])
  const pass = journal.beginPass({ environment: 'prod', trigger: 'poll', atMs: 1 })
  journal.recordStep(pass, { atMs: 2, site: 'local', application: 'shop', service: 'web',
    step: 'stop-container prod.web.1.ab12cd34', stage: 'change', phase: 'started' })
  process.kill(process.pid, 'SIGKILL')
`

describe('journal: crash', () => {
  let directory = ''
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'tallyman-journal-'))
  })
  afterEach(() => rmSync(directory, { recursive: true }))

  it('G25 loses nothing that was written before the process was killed, for readers and for writers', () => {
    const file = join(directory, 'tallyman.sqlite')
    const module = new URL('../../../lib/journal/journal.ts', import.meta.url).href
    const child = spawnSync(process.execPath, ['--input-type=module', '--eval', victim, module, file], {
      encoding: 'utf8',
    })
    expect([child.signal, child.stderr]).to.deep.equal(['SIGKILL', ''])
    for (const readOnly of [true, false, true]) {
      const journal = openJournal(file, { readOnly })
      const pass = journal.show(1)
      journal.close()
      expect([pass?.outcome, pass?.events.map(({ step }) => step)]).to.deep.equal([
        'interrupted',
        ['stop-container prod.web.1.ab12cd34'],
      ])
    }
  })
})
