import { expect } from 'chai'
import { closesMs, windowAt } from '../../../../lib/fleet/window/window.ts'
import { createWindowClock } from '../../../../lib/fleet/window/window-clock.ts'
import type { Weekday, Window, Windows } from '../../../../lib/state/fleet/window.ts'

const hourMs = 60 * 60 * 1000
const [minuteMs, dayMs] = [hourMs / 60, 24 * hourMs]

function on(days: readonly Weekday[], hours = 3): Window {
  return { days, startMinutes: 120, zone: 'Europe/Stockholm', durationMs: hours * hourMs }
}

const neverOpen = (): Windows => ({ provider: [on(['Saturday'])], owner: [on(['Sunday'])] })
const alwaysOpen = (): Windows => ({ provider: [on([], 25)], owner: [] })
const saturdays = (): Windows => ({ provider: [on(['Saturday'])], owner: [] })

/** A Monday. Saturday's window opens at `opensMs`. */
const nowMs = Date.parse('2026-11-23T12:00Z')
const opensMs = Date.parse('2026-11-28T01:00Z')

/** A clock that has loaded, and how often it searched. */
async function counted() {
  const asked: string[] = []
  const clock = createWindowClock(async () => ({
    windowAt(windows, atMs) {
      asked.push('windowAt')
      return windowAt(windows, atMs)
    },
    closesMs(windows, atMs) {
      asked.push('closesMs')
      return closesMs(windows, atMs)
    },
  }))
  await clock.load([{ windows: saturdays() }])
  return { clock, count: () => asked.splice(0).length }
}

/** The moments of a day, each minute. */
const aDay = Array.from({ length: 24 * 60 }, (_, minute) => nowMs + minute * minuteMs)

describe('what is remembered of upgrade windows', () => {
  for (const { what, windows } of [
    { what: 'never open', windows: neverOpen },
    { what: 'are closed', windows: saturdays },
    { what: 'are always open', windows: alwaysOpen },
  ])
    it(`A61 G24 whether windows that ${what} are open is found out once, and not for each of a thousand sites at each look`, async () => {
      const { clock, count } = await counted()
      for (let site = 0; site < 1_000; site += 1) {
        const own = windows()
        clock.at(own, nowMs)
        clock.closesMs(own, nowMs)
      }
      for (const atMs of aDay) {
        const own = windows()
        clock.at(own, atMs)
        clock.closesMs(own, atMs)
      }
      expect(count()).to.be.at.most(2)
    })

  it('A61 is as without it at each moment, however the clock is set', async () => {
    const { clock } = await counted()
    const times = [nowMs, opensMs - 1, opensMs, opensMs + 3 * hourMs - 1, opensMs + 3 * hourMs]
    for (const all of [neverOpen(), alwaysOpen(), saturdays()])
      for (const atMs of [...times, ...times.toReversed(), opensMs + 400 * dayMs, nowMs]) {
        const state = windowAt(all, atMs)
        expect(clock.at(all, atMs), new Date(atMs).toISOString()).to.deep.equal(state)
        expect(clock.closesMs(all, atMs)).to.equal(state.isOpen ? closesMs(all, atMs) : undefined)
      }
  })

  it('A61 of windows that never meet is asked again after a week', async () => {
    const { clock, count } = await counted()
    clock.at(neverOpen(), nowMs)
    clock.at(neverOpen(), nowMs + 7 * dayMs - 1)
    expect(count()).to.equal(1)
    clock.at(neverOpen(), nowMs + 7 * dayMs)
    expect(count()).to.equal(1)
  })

  it('A61 to one that has loaded nothing, all are open', () => {
    const clock = createWindowClock()
    expect(clock.at(neverOpen(), nowMs)).to.deep.equal({ isOpen: true })
    expect(clock.closesMs(saturdays(), opensMs)).to.equal(undefined)
  })
})
