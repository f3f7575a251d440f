import { expect } from 'chai'
import { dueOf, forgetGone, knownLook, type Look, type Looks } from '../../../../lib/docker/observe/looks.ts'
import type { Settings } from '../../../../lib/state/running/settings.ts'

const settings: Settings = { limits: { restart: { name: 'no' } }, aliases: {} }
const hourMs = 60 * 60 * 1000
const nowMs = 100 * hourMs
/** A round moment of the day, at which it is to be begun with the first one. */
const now = { steadyMs: nowMs, ofDayMs: 0 }

const seen = (atMs: number, mark = ''): Look => ({ atMs, mark, settings, restarts: 0 })
const there = (...ids: readonly string[]) => ids.map(id => ({ id, mark: '' }))
const many = (count: number) => there(...Array.from({ length: count }, (_, at) => `c${at}`))

describe('the turns of closer looks', () => {
  it('G2 ask nothing while all was seen within the hour and nothing happened', () => {
    const looks: Looks = new Map([
      ['a', seen(nowMs)],
      ['b', seen(nowMs - hourMs + 1)],
    ])
    expect(dueOf(there('a', 'b'), looks, now)).to.deep.equal([])
  })

  it('D9 come to every container once an hour, to the one first that waits longest', () => {
    const looks: Looks = new Map([
      ['a', seen(nowMs - hourMs)],
      ['b', seen(nowMs - 2 * hourMs)],
      ['c', seen(nowMs)],
    ])
    expect(dueOf(there('a', 'b', 'c'), looks, now)).to.deep.equal(['b', 'a'])
  })

  it('D9 come at once to what is attached otherwise than it was, though nobody heard of it', () => {
    const looks: Looks = new Map([['a', seen(nowMs, 'prod 1')]])
    expect(dueOf([{ id: 'a', mark: 'prod 1' }], looks, now)).to.deep.equal([])
    expect(dueOf([{ id: 'a', mark: 'prod 2' }], looks, now)).to.deep.equal(['a'])
    expect(knownLook({ id: 'a', mark: 'prod 1' }, looks)?.settings).to.equal(settings)
    expect(knownLook({ id: 'a', mark: 'prod 2' }, looks)).to.equal(undefined)
  })

  it('G18 are 64 at most, of which the first is what is not as it was', () => {
    const all = many(200)
    const looks: Looks = new Map([['c199', seen(nowMs, 'prod 1')]])
    const due = dueOf(all, looks, now)
    expect(due.length).to.equal(64)
    expect(due.slice(0, 3)).to.deep.equal(['c199', 'c0', 'c1'])
  })

  it('D9 come to all of many in time, also where every process looks once', () => {
    const all = many(200)
    const minutes = [0, 1, 2, 3].map(minute =>
      dueOf(all, new Map(), { steadyMs: 0, ofDayMs: minute * 60_000 }),
    )
    expect(new Set(minutes.flat()).size).to.equal(200)
  })

  it('forget what was not there for a day', () => {
    const looks: Looks = new Map([
      ['a', seen(nowMs - 25 * hourMs)],
      ['b', seen(nowMs - 2 * hourMs)],
    ])
    forgetGone(looks, nowMs)
    expect([...looks.keys()]).to.deep.equal(['b'])
  })
})
