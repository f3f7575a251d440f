import { expect } from 'chai'
import fc from 'fast-check'
import { type NextEntry, nextEntry, type Standing } from '../../../lib/fleet/queue.ts'
import type { QueueEntry } from '../../../lib/state/fleet/queue-entry.ts'

/** Entries in their order, each `VERSION`, `VERSION from PATTERN or PATTERN` or `VERSION forced`; `-` is no version. */
function queue(...texts: readonly string[]): readonly QueueEntry[] {
  return texts.map((text, index) => {
    const [what = '', from] = text.split(' from ')
    const [version = '', forced] = what.split(' ')
    return {
      number: index + 1,
      commit: `c${index + 1}`,
      ...(version === '-' ? {} : { version }),
      ...(from === undefined ? {} : { from: from.split(' or ') }),
      ...(forced === undefined ? {} : { isForced: true }),
    }
  })
}

const open = true
const closed = false

/** `take 1.2.4, skip 1.2.1 1.2.2`, `window 1.3`, `none` or the reason why there is no path. */
function told(next: NextEntry): string {
  const name = ({ version = '-' }: QueueEntry) => version
  switch (next.kind) {
    case 'none':
      return 'none'
    case 'window':
      return `window ${name(next.entry)}`
    case 'no-path':
      return next.reason
    case 'take':
      return [
        `take ${name(next.entry)}`,
        ...(next.skipped.length > 0 ? [`skip ${next.skipped.map(name).join(' ')}`] : []),
      ].join(', ')
  }
}

const next = (running: Standing | undefined, entries: readonly QueueEntry[], isOpen = open) =>
  told(nextEntry(running, entries, isOpen))

describe('the queue of an application on a site', () => {
  it('A65 gives the last of the versions that may follow what runs, and skips those between', () => {
    const entries = queue('1.2.1', '1.2.2', '1.2.3', '1.2.4')
    expect(next({ version: '1.2.0' }, entries)).to.equal('take 1.2.4, skip 1.2.1 1.2.2 1.2.3')
    expect(next({ version: '1.2.4', number: 4 }, entries)).to.equal('none')
  })

  it('A65 A42 goes by way of a version that the last one needs', () => {
    const entries = queue('3.0', '3.0.1 from ^3\\.0$')
    expect(next({ version: '2.0.4' }, entries)).to.equal('take 3.0')
    expect(next({ version: '3.0', number: 1 }, entries)).to.equal('take 3.0.1')
  })

  it('A65 goes by the order of entry, and not by the size of numbers or the order of the list', () => {
    const entries = queue('10.0', '9.0', '1.0')
    expect(next({ version: '2.0' }, entries)).to.equal('take 1.0, skip 10.0 9.0')
    expect(next({ version: '2.0' }, entries.toReversed())).to.equal('take 1.0, skip 10.0 9.0')
  })

  it('A42 waits if no version may follow what runs, and says which', () => {
    expect(next({ version: '1.0' }, queue('3.0 from ^2\\.', '3.1 from ^2\\. or ^3\\.'))).to.equal(
      'no entry of "upgrade-from" leads from 1.0 to 3.1 or 3.0',
    )
    expect(next({}, queue('2.0 from ^1'))).to.equal('no entry of "upgrade-from" leads from no version to 2.0')
  })

  it('A64 takes the last version for a first installation, whatever window and path say', () => {
    expect(next(undefined, queue('1.0', '2.0 from ^1'), closed)).to.equal('take 2.0, skip 1.0')
  })

  it('A60 holds an upgrade back while the window is closed, and tells which it is', () => {
    expect(next({ version: '1.0' }, queue('1.1', '1.2'), closed)).to.equal('window 1.2')
  })

  it('A11 takes the same version with other content at once, while a later one waits for the window', () => {
    expect(next({ version: '1.0', number: 0 }, queue('1.0 from ^0', '1.1'), closed)).to.equal('take 1.0')
    expect(next({}, queue('-'), closed), 'without versions').to.equal('take -')
  })

  it('X7 takes an earlier version that entered again, which is the last one then', () => {
    const entries = queue('1.0', '1.1', '1.0')
    expect(next({ version: '1.1', number: 2 }, entries)).to.equal('take 1.0')
    expect(next({ version: '1.0', number: 3 }, entries)).to.equal('none')
  })

  it('A66 takes what a person forces outside of the window, but not without a path', () => {
    expect(next({ version: '1.0' }, queue('1.1', '1.2 forced', '1.3'), closed)).to.equal('take 1.2, skip 1.1')
    expect(next({ version: '1.0' }, queue('1.1', '1.2 forced', '1.3'), open), 'in the window').to.equal(
      'take 1.3, skip 1.1 1.2',
    )
    const [step, goal] = queue('3.0', '3.1 from ^3\\.0$')
    if (step === undefined || goal === undefined) throw new Error('two entries')
    expect(next({ version: '2.0' }, [step, { ...goal, isForced: true }], closed)).to.equal('window 3.0')
  })

  it('G24 leads from nowhere with an expression that nobody can read or that would take for ever', () => {
    const text = '(a+)+$'
    expect(next({ version: `${'a'.repeat(60)}!` }, queue(`2.0 from ${text}`, '3.0 from ('))).to.equal(
      `no entry of "upgrade-from" leads from ${'a'.repeat(60)}! to 3.0 or 2.0`,
    )
  })

  it('A65 names at most three versions', () => {
    const many = queue(...Array.from({ length: 50 }, (_, index) => `2.${index} from ^9`))
    expect(next({ version: '1' }, many)).to.equal(
      'no entry of "upgrade-from" leads from 1 to 2.49 or 2.48 or 2.47 or 47 more',
    )
  })

  it('A65 A42 never goes back in the queue, never against a path, and never over one that could be taken', () => {
    const version = fc.constantFrom('1', '2', '3', '4')
    const from = fc.option(fc.subarray(['^1$', '^2$', '^3$', '^4$']), { nil: undefined })
    const entry = fc.record({ version, from })
    fc.assert(
      fc.property(version, fc.array(entry, { maxLength: 12 }), (running, written) => {
        const entries: readonly QueueEntry[] = written.map(({ from, version }, index) => ({
          number: index,
          commit: 'c',
          version,
          ...(from === undefined ? {} : { from }),
        }))
        let standing: Standing = { version: running, number: -1 }
        for (;;) {
          const now = nextEntry(standing, entries, open)
          const mayFollow = (one: QueueEntry) =>
            one.from === undefined ||
            one.version === standing.version ||
            one.from.includes(`^${standing.version}$`)
          const later = entries.filter(({ number }) => number > (standing.number ?? -1))
          if (now.kind !== 'take') {
            expect(later.filter(mayFollow)).to.deep.equal([])
            return
          }
          expect(now.entry).to.equal(later.filter(mayFollow).at(-1))
          standing = { version: now.entry.version ?? '', number: now.entry.number }
        }
      }),
    )
  })
})
