import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { awaitLoss, whyOneIsGone } from '../../../lib/daemon/lost-files.ts'
import { Failure } from '../../../lib/errors.ts'
import { fileMarkOf } from '../../../lib/file/file-mark.ts'
import { heapInUse } from '../../support/measure/heap.ts'

const gone = new Failure('state-dir-gone', 'tallyman.sqlite: it was removed while tallyman works with it')
const running = new AbortController().signal

describe('a loss', () => {
  const cases: readonly (readonly [what: string, seen: readonly boolean[], looks: number])[] = [
    ['at the second look at which something is gone', [true, true], 2],
    ['not of what is back at the second look', [true, false, true, false, false, true, true], 7],
  ]
  for (const [what, seen, expected] of cases)
    it(`G25 is told ${what}`, async () => {
      let looks = 0
      const look = async () => (seen[looks++] ? gone : undefined)
      expect(await awaitLoss(look, running, 0)).to.equal(gone)
      expect(looks).to.equal(expected)
    })

  it('G25 is no loss if nobody looks any more, and a look that never ends keeps nobody waiting', async () => {
    const stopping = new AbortController()
    let looks = 0
    const look = () => {
      looks += 1
      stopping.abort()
      return new Promise<undefined>(() => undefined)
    }
    expect(await awaitLoss(look, stopping.signal, 0)).to.equal(undefined)
    expect(await awaitLoss(look, stopping.signal, 0)).to.equal(undefined)
    expect(looks).to.equal(1)
  })

  it('G22 is looked for as long as a daemon runs, and nothing is kept of a look', async () => {
    const heaps: number[] = []
    let looks = 0
    const look = async () => {
      looks += 1
      if (looks === 1_000 || looks === 3_000) heaps.push(heapInUse())
      return looks > 3_000 ? gone : undefined
    }
    await awaitLoss(look, running, 0)
    const [before = 0, after = 0] = heaps
    expect((after - before) / 2_000, 'bytes of each look').to.be.below(50)
  })
})

describe('a file in its place', () => {
  let directory = ''
  const path = (name: string) => join(directory, name)
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'tallyman-mark-'))
    for (const name of ['first', 'second']) writeFileSync(path(name), '')
  })
  afterEach(() => rmSync(directory, { recursive: true }))
  const marks = () => ['first', 'second'].map(name => fileMarkOf(path(name)))

  const cases: readonly (readonly [what: string, go: () => void, why: string | undefined])[] = [
    ['stays there', () => undefined, undefined],
    ['is written to', () => writeFileSync(path('second'), 'more'), undefined],
    [
      'was moved away and back',
      () => {
        renameSync(path('second'), path('copied'))
        renameSync(path('copied'), path('second'))
      },
      undefined,
    ],
    [
      'cannot be looked at',
      () => {
        renameSync(path('second'), path('away'))
        symlinkSync(path('second'), path('second'))
      },
      undefined,
    ],
    ['was removed', () => rmSync(path('second')), 'second: it was removed while tallyman works with it'],
    [
      'was replaced by another one',
      () => renameSync(path('first'), path('second')),
      'first: it was removed while tallyman works with it',
    ],
    [
      'was replaced by one of the same contents',
      () => {
        writeFileSync(path('copied'), '')
        renameSync(path('copied'), path('second'))
      },
      'second: another file is in its place while tallyman works with it',
    ],
  ]
  for (const [what, go, why] of cases)
    it(`G25 is ${why === undefined ? 'known' : 'missed'} if it ${what}`, async () => {
      const known = marks()
      go()
      const found = await whyOneIsGone(known)
      expect([found?.code, found?.message]).to.deep.equal(
        why === undefined ? [undefined, undefined] : ['state-dir-gone', join(directory, why)],
      )
    })
})
