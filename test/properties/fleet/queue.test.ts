import { expect } from 'chai'
import fc from 'fast-check'
import { nextUpgrade, type Queued, queueOf } from '../../../lib/fleet/queue.ts'
import { entered, nextOn, queueOn } from '../../support/builders/queued.ts'

describe('the queue of an application on a site', () => {
  it('A65 skips what lies between, if the wanted version may follow what runs', () => {
    const entries = entered('1.2.0', '1.2.1', '1.2.2', '1.2.3', '1.2.4')
    expect(nextOn(entries, { runs: ['1.2.0'] })).to.equal('1.2.4')
  })

  it('A65 A42 goes by way of a version that the wanted one needs', () => {
    const entries = entered('2.0.4', '3.0', '3.0.1 from ^3\\.0$')
    expect(nextOn(entries, { runs: ['2.0.4'] })).to.equal('3.0, then 3.0.1')
    expect(nextOn(entries, { runs: ['3.0'] })).to.equal('3.0.1')
  })

  it('A65 takes at each step the last one that may follow and that leads on', () => {
    const entries = entered('1', '2 from ^1$', '3 from ^[12]$', '4 from ^2$', '5 from ^1$', '6 from ^4$')
    expect(nextOn(entries, { runs: ['1'] })).to.equal('2, then 4, then 6')
    expect(nextOn(entries, { runs: ['3'] })).to.equal('no entry of "upgrade-from" leads from 3 to 6')
  })

  it('A65 goes by way of others also to a version that has not entered yet, because it is only planned', () => {
    const entries = entered('2.0.4', '3.0', '3.0.1 from ^3\\.0$')
    const { kept } = entries[2] ?? {}
    const queue = queueOf({
      ...{ entries: entries.slice(0, 2), standing: new Set(['2.0.4']), isForced: () => false },
      ...{ wanted: { version: '3.0.1', paths: kept?.paths ?? [] }, barOf: () => undefined },
    })
    expect(queue.map(({ version }) => version)).to.deep.equal(['3.0', '3.0.1'])
  })

  it('A65 installs nothing that leads nowhere: nobody wants it any more', () => {
    const entries = entered('1', '2 from ^1$', '3 from ^9$')
    expect(nextOn(entries, { runs: ['1'] })).to.equal('no entry of "upgrade-from" leads from 1 to 3')
  })

  it('A65 goes by the order of entry, and not by the size of numbers', () => {
    const entries = entered('2', '10', '9 from ^10$')
    expect(nextOn(entries, { runs: ['2'] })).to.equal('10, then 9')
  })

  it('A65 A42 has all versions that run on the path, so that a half-done step is completed first', () => {
    const entries = entered('2.0.4', '3.0 from ^2', '3.0.1 from ^3\\.0$')
    expect(nextOn(entries, { runs: ['2.0.4', '3.0'] })).to.equal('3.0, then 3.0.1')
  })

  it('A65 goes by no version that a commit took back', () => {
    const entries = entered('1', '2', '1', '3 from ^2$')
    expect(nextOn(entries, { runs: ['0'] })).to.equal(
      'no entry of "upgrade-from" leads from 0 to 3, and 2 was taken back by a later commit',
    )
  })

  it('A65 goes by a version that was taken back and came again, and by one from before that', () => {
    const entries = entered('1', '2 from ^1$', '1', '2 from ^1$', '3 from ^2$')
    expect(nextOn(entries, { runs: ['0'] })).to.equal('1, then 2, then 3')
  })

  it('A65 goes by the version that a revert brought back, from the one that it took back', () => {
    const entries = entered('1', '2', '1', '3 from ^1$')
    expect(nextOn(entries, { runs: ['2'] })).to.equal('1, then 3')
  })

  it('A65 G5 goes by no version that failed there, and says so if there is no other way', () => {
    const entries = entered('1', '2', '3', '4 from ^[23]$')
    expect(nextOn(entries, { runs: ['1'], failed: ['3'] })).to.equal('2, then 4')
    expect(nextOn(entries, { runs: ['1'], failed: ['2', '3'] })).to.equal(
      'no entry of "upgrade-from" leads from 1 to 4, and 3 failed before: exited with code 1',
    )
  })

  it('A12 A65 goes back by no other version', () => {
    const entries = entered('1 from ^0$', '2', '3')
    expect(nextOn(entries, { runs: ['3'], wants: '1' })).to.equal(
      'no entry of "upgrade-from" leads from 3 to 1',
    )
    expect(nextOn(entered('1', '2', '3'), { runs: ['3'], wants: '1' })).to.equal('1')
  })

  it('A65 knows a version that never entered, such as that of a directory', () => {
    expect(nextOn([], { runs: ['1'], wants: '2' })).to.equal('2')
  })

  it('A66 installs nothing in place of a version that was deleted, until a newer one comes', () => {
    const entries = entered('1', '2', '3')
    expect(nextOn(entries, { runs: ['1'], deleted: ['3'] })).to.equal('was deleted from the queue by ann')
    expect(nextOn(entered('1', '2', '3', '4'), { runs: ['1'], deleted: ['3'] })).to.equal('4')
  })

  it('A66 goes by no deleted version, and says so if there is no other way', () => {
    const entries = entered('2.0.4', '3.0', '3.0.1 from ^3\\.0$')
    expect(nextOn(entries, { runs: ['2.0.4'], deleted: ['3.0'] })).to.equal(
      'no entry of "upgrade-from" leads from 2.0.4 to 3.0.1, and 3.0 was deleted from the queue by ann',
    )
  })

  it('A66 forces the whole way to a version outside of the window, and never leaves it', () => {
    const entries = entered('2.0.4', '3.0', '3.0.1 from ^3\\.0$')
    const closed = { runs: ['2.0.4'], isOpen: false }
    expect(nextOn(entries, closed)).to.equal('3.0, then 3.0.1')
    expect(nextOn(entries, { ...closed, forced: ['3.0.1'] })).to.equal('3.0, then 3.0.1!')
    expect(nextOn(entries, { ...closed, forced: ['3.0'] })).to.equal('3.0!')
    expect(nextOn(entered('1', '2 from ^9$'), { runs: ['1'], isOpen: false, forced: ['2'] })).to.equal(
      'no entry of "upgrade-from" leads from 1 to 2',
    )
  })

  it('A66 takes the wanted version once the window is open, whatever else was forced', () => {
    const entries = entered('1', '2', '3')
    expect(nextOn(entries, { runs: ['1'], forced: ['2'] })).to.equal('3')
    expect(nextOn(entries, { runs: ['1'], forced: ['2'], isOpen: false })).to.equal('2!')
  })

  it('G24 A42 takes an expression that cannot be read for one that matches nothing, and reads each once', () => {
    expect(nextOn(entered('1', '2 from ('), { runs: ['1'] })).to.equal(
      'no entry of "upgrade-from" leads from 1 to 2',
    )
    const many = Array.from({ length: 32 }, (_, index) => `${'a'.repeat(60)}${index}! from (a+)+$`)
    const first = `${'a'.repeat(60)}!`
    expect(nextOn(entered(first, ...many), { runs: [first] })).to.match(/^no entry/)
  })

  it('A65 A42 never follows what it may not, and gets to the wanted version if any way leads there', () => {
    const version = fc.constantFrom('1', '2', '3', '4', '5')
    const paths = fc.option(fc.array(version, { maxLength: 3 }), { nil: undefined })
    const entry = fc.record({ version, paths })
    const site = fc.record({
      runs: version,
      isOpen: fc.boolean(),
      failed: fc.subarray(['1', '2', '3', '4', '5'], { maxLength: 1 }),
      deleted: fc.subarray(['1', '2', '3', '4', '5'], { maxLength: 1 }),
    })
    fc.assert(
      fc.property(fc.array(entry, { minLength: 1, maxLength: 10 }), site, (all, { runs, ...more }) => {
        const entries = entered(
          ...all.map(({ version, paths }) =>
            paths === undefined
              ? version
              : `${version} from ${paths.map(one => `^${one}$`).join(' or ') || '^$'}`,
          ),
        )
        const waiting = queueOn(entries, { runs: [runs], ...more })
        const found = nextUpgrade(new Set([runs]), waiting, more.isOpen)
        const mayFollow = (one: Queued, before: string) =>
          one.version === before || one.paths === 'any' || one.paths.includes(`^${before}$`)
        const goal = waiting.at(-1)
        const reach = (from: string, left: readonly Queued[]): boolean =>
          left.some(
            (one, index) =>
              one.bar === undefined &&
              mayFollow(one, from) &&
              (one === goal || reach(one.version, left.slice(index + 1))),
          )
        if (found.kind !== 'go') {
          expect(reach(runs, waiting)).to.equal(false)
          return
        }
        expect(found.steps.at(-1)).to.equal(goal)
        let before: string = runs
        for (const step of found.steps) {
          expect(step.bar).to.equal(undefined)
          expect(mayFollow(step, before)).to.equal(true)
          before = step.version
        }
      }),
      { numRuns: 2_000 },
    )
  })
})
