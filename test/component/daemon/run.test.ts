import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { loadConfig } from '../../../lib/config.ts'
import { runDaemon } from '../../../lib/daemon/run.ts'
import { catalogue } from '../../../lib/errors/catalogue.ts'
import { toFailure } from '../../../lib/errors.ts'
import { isListening } from '../../../lib/is-listening.ts'
import { openJournal } from '../../../lib/journal/journal.ts'
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
    expect(await isListening(join(config.stateDir, 'control.sock'))).to.equal(false)
  })
})

describe('a daemon whose state directory goes', () => {
  let directory = ''
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'tallyman-daemon-'))
  })
  afterEach(() => rmSync(directory, { recursive: true }))

  /** Runs a daemon until it has begun, does that to its state directory, and returns how it ended and what it said. */
  async function lost(act: (stateDir: string) => void) {
    const stateDir = join(directory, 'state')
    const config = loadConfig({ repository: directory, stateDir }, {})
    const errors: unknown[] = []
    const log: Log = {
      ...silent,
      info: message => message === 'tallyman watches' && act(stateDir),
      error: (message, fields) => errors.push([message, fields?.['code'], fields?.['hint']]),
      with: () => silent,
    }
    const stopping = new AbortController()
    const reason = await runDaemon(config, log, stopping.signal, undefined, undefined, 1).catch(toFailure)
    return { reason, errors }
  }
  const gone = (file: string, how: string) =>
    `${join(directory, 'state', file)}: ${how} while tallyman works with it`

  const cases: readonly (readonly [what: string, act: (stateDir: string) => void, why: () => string])[] = [
    [
      'is removed',
      stateDir => rmSync(stateDir, { recursive: true }),
      () => gone('tallyman.sqlite', 'it was removed'),
    ],
    [
      'is replaced by another one',
      stateDir => {
        rmSync(stateDir, { recursive: true })
        openJournal(join(stateDir, 'tallyman.sqlite')).close()
      },
      () => gone('tallyman.sqlite', 'another file is in its place'),
    ],
    [
      'loses its control socket',
      stateDir => rmSync(join(stateDir, 'control.sock')),
      () => gone('control.sock', 'it was removed'),
    ],
  ]
  for (const [what, act, why] of cases)
    it(`G25 ends if it ${what}, with an error and after a line in its log`, async () => {
      const { reason, errors } = await lost(act)
      expect(reason).to.include({ code: 'state-dir-gone', message: why() })
      expect(errors).to.deep.equal([
        [
          `${why()}; begins nothing more, and ends once what is under way has ended`,
          'state-dir-gone',
          catalogue['state-dir-gone'].hint,
        ],
      ])
    })

  it('G25 leaves the control socket of another daemon that is there by then', async () => {
    const other = join(directory, 'state', 'control.sock')
    const { reason } = await lost(stateDir => {
      rmSync(stateDir, { recursive: true })
      mkdirSync(stateDir)
      writeFileSync(other, '')
    })
    expect(reason).to.include({ code: 'state-dir-gone' })
    expect(existsSync(other)).to.equal(true)
  })
})

const nothing = () => undefined
const silent: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing, with: () => silent }
