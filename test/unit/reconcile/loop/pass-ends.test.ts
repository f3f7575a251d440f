import { getEventListeners } from 'node:events'
import { expect } from 'chai'
import { Failure } from '../../../../lib/errors.ts'
import type { Delivery } from '../../../../lib/plan/change/change.ts'
import { createPassEnds } from '../../../../lib/reconcile/loop/pass-ends.ts'
import type { PassResult } from '../../../../lib/reconcile/site/result/pass-result.ts'
import { change, desired, live } from '../../../support/builders/builders.ts'
import { planOf } from '../../../support/builders/planning.ts'

const { signal } = new AbortController()

function result(passId: number): PassResult {
  return { passId, outcome: 'in-sync', sync: 'Synced', errors: [], waiting: [], results: [], status: [] }
}

/** The result of a pass over a site that carried out a plan. */
function worked(passId: number, site: string, id: string, more: Partial<Delivery> = {}): PassResult {
  const made = change({ site, ...more })
  const plan = { ...planOf({ desired: desired(), live: live() }), id }
  return { ...result(passId), site, plan, outcome: 'applied', results: [{ change: made, result: 'applied' }] }
}

/** The result of a pass over the site `one` that installed the first of these versions, on the way to the last one. */
function step(passId: number, [by = '', ...others]: readonly string[], id: string): PassResult {
  return worked(passId, 'one', id, { walk: { from: '1', by: [by, ...others], later: [] } })
}

const failure = new Failure('exited-early', 'one: exited with code 3')

describe('the ends of passes', () => {
  it('are told of the first pass over a site after a count that carried something out', () => {
    const ends = createPassEnds()
    ends.tell(worked(7, 'one', 'aaaa'))
    ends.tell(result(8))
    ends.tell(worked(9, 'two', 'bbbb'))
    ends.tell(worked(10, 'one', 'cccc'))
    expect(ends.count()).to.equal(4)
    expect(ends.worked('one', 0, 'none')?.passId).to.equal(7)
    expect(ends.worked('one', 1, 'none')?.passId).to.equal(10)
    expect(ends.worked('two', 0, 'none')?.passId).to.equal(9)
    expect(ends.worked('two', 3, 'none')).to.equal(undefined)
  })

  it('are told of the pass that carried out a plan, if one did', () => {
    const ends = createPassEnds()
    ends.tell(worked(7, 'one', 'aaaa'))
    ends.tell(worked(8, 'one', 'bbbb'))
    expect(ends.worked('one', 0, 'bbbb')?.passId).to.equal(8)
  })

  it('X18 are told of the last of the steps that one approval covers, or of the pass that did not go on', () => {
    const ends = createPassEnds()
    const told = () => [ends.worked('one', 0, 'aaaa')?.passId, ends.goesOn('one', 0, 'aaaa')]
    ends.tell(step(7, ['2', '3', '4'], 'aaaa'))
    expect(told(), 'two are still to come').to.deep.equal([7, true])
    ends.tell({ ...result(8), site: 'one', outcome: 'superseded' })
    ends.tell(step(9, ['3', '4'], 'bbbb'))
    expect(told()).to.deep.equal([9, true])
    const last = step(10, ['4'], 'cccc')
    const results = last.results.map(({ change }) => ({ change, result: 'rolled-back', failure }) as const)
    ends.tell({ ...last, outcome: 'rolled-back', results })
    ends.tell({ ...result(11), site: 'one' })
    expect(told()).to.deep.equal([10, false])
    expect(ends.worked('one', 0, 'aaaa')?.outcome).to.equal('rolled-back')

    const waits = createPassEnds()
    waits.tell(step(7, ['2', '3'], 'aaaa'))
    waits.tell({ ...result(8), site: 'one' })
    expect([waits.worked('one', 0, 'aaaa')?.passId, waits.goesOn('one', 0, 'aaaa')]).to.deep.equal([8, false])
  })

  it('are waited for until something is so, which may be so at once', async () => {
    const ends = createPassEnds()
    await ends.until(() => true, signal)
    const two = ends.until(() => ends.count() === 2, signal).then(() => ends.count())
    ends.tell(result(7))
    ends.tell(result(8))
    expect(await two).to.equal(2)
  })

  it('are not waited for longer than the signal says', async () => {
    const ends = createPassEnds()
    const reasonOf = (given: AbortSignal) =>
      ends
        .until(() => false, given)
        .then(
          () => 'was so',
          (error: Error) => error.message,
        )
    expect(await reasonOf(AbortSignal.abort(new Error('enough')))).to.equal('enough')
    const later = new AbortController()
    const waiting = reasonOf(later.signal)
    later.abort(new Error('enough by now'))
    expect(await waiting).to.equal('enough by now')
  })

  it('G17 are no business of the pass that ended: who cannot say whether it is so is told why, and all others go on', async () => {
    const ends = createPassEnds()
    const isBusy = () => {
      if (ends.count() === 0) return false
      throw new Error('the journal is busy')
    }
    const reason = ends.until(isBusy, signal).then(
      () => 'was so',
      (error: Error) => error.message,
    )
    const other = ends.until(() => ends.count() === 1, signal)
    ends.tell(result(7))
    expect(await reason).to.equal('the journal is busy')
    await other
    ends.tell(result(8))
    expect(ends.count()).to.equal(2)
  })

  it('G17 are asked about less often by who takes long to say whether it is so, and then still in the end', async () => {
    const clock = { ms: 0 }
    const ends = createPassEnds(() => clock.ms)
    let [asked, isSo] = [0, false]
    const waiting = ends.until(() => {
      asked += 1
      clock.ms += 3
      return isSo
    }, signal)
    for (let pass = 0; pass < 100; pass += 1) ends.tell(result(pass))
    expect(asked, 'at first, and after the first pass').to.equal(2)
    isSo = true
    await waiting
    expect(asked).to.equal(3)
  })

  it('G22 leave nothing behind on the signal of who waited for them', async () => {
    const ends = createPassEnds()
    const { signal } = new AbortController()
    const waiting = ends.until(() => ends.count() === 1, signal)
    expect(getEventListeners(signal, 'abort')).to.have.length(1)
    ends.tell(result(7))
    await waiting
    expect(getEventListeners(signal, 'abort')).to.deep.equal([])
  })

  it('G22 are forgotten after eight more on the same site', () => {
    const ends = createPassEnds()
    ends.tell(worked(1, 'two', 'aaaa'))
    for (let pass = 2; pass <= 10; pass += 1) ends.tell(worked(pass, 'one', 'bbbb'))
    expect(ends.worked('one', 0, 'bbbb')?.passId).to.equal(3)
    expect(ends.worked('two', 0, 'bbbb')?.passId).to.equal(1)
  })

  it('G22 are forgotten after a minute on each site, unless somebody follows them', () => {
    const clock = { ms: 0 }
    const ends = createPassEnds(() => clock.ms)
    const isKnown = (site: string) => [
      ends.worked(site, 0, 'aaaa') !== undefined,
      ends.doneOn(site).length > 0,
    ]
    const work = (site: string) => {
      ends.done({ change: change({ site }), result: 'applied' }, 1, 1_000)
      ends.tell(worked(1, site, 'aaaa'))
    }
    const follow = () => ends.follower({ environment: 'prod', plan: 'aaaa', from: 1, look: 1 })
    work('one')
    const follower = follow()
    work('two')
    clock.ms = 59_999
    expect(follow(), 'the same for each question').to.equal(follower)
    ends.tell(result(2))
    expect([isKnown('one'), isKnown('two')], 'up to a minute').to.deep.equal([
      [true, true],
      [true, true],
    ])
    clock.ms = 60_001
    ends.tell(result(3))
    expect([isKnown('one'), isKnown('two')], 'followed from the second on').to.deep.equal([
      [false, false],
      [true, true],
    ])
    clock.ms = 120_000
    ends.tell(result(4))
    expect(isKnown('two'), 'nobody has asked for a minute').to.deep.equal([false, false])
    expect(follow()).to.not.equal(follower)
  })
})
