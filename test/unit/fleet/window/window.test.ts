import { expect } from 'chai'
import { closedText, closesMs, windowAt } from '../../../../lib/fleet/window/window.ts'
import type { Weekday, Window, Windows } from '../../../../lib/state/fleet/window.ts'

const hourMs = 60 * 60 * 1000

/** `Monday 02:00 3h Europe/Stockholm`; several days with commas, `daily` for all. */
function window(text: string): Window {
  const [days = '', start = '', hours = '', zone = ''] = text.split(' ')
  const [hour = 0, minute = 0] = start.split(':').map(Number)
  return {
    days: days === 'daily' ? [] : (days.split(',') as Weekday[]),
    startMinutes: hour * 60 + minute,
    zone,
    durationMs: Number.parseFloat(hours) * hourMs,
  }
}

const provider = (...texts: readonly string[]): Windows => ({ provider: texts.map(window), owner: [] })

/** `open`, `never`, or when it opens; in UTC unless a zone is said. */
function at(windows: Windows, time: string): string {
  const state = windowAt(windows, Date.parse(time))
  if (state.isOpen) return 'open'
  return state.opens === undefined ? 'never' : new Date(state.opens.ms).toISOString().slice(0, 16)
}

function closes(windows: Windows, time: string): string {
  const ms = closesMs(windows, Date.parse(time))
  return ms === undefined ? 'never' : new Date(ms).toISOString().slice(0, 16)
}

describe('upgrade windows', () => {
  it('A61 always allow an upgrade where there are none', () => {
    expect(at(provider(), '2026-11-23T12:00Z')).to.equal('open')
    expect(closes(provider(), '2026-11-23T12:00Z')).to.equal('never')
  })

  it('A62 open at their start, and are closed at their end', () => {
    const windows = provider('Monday,Tuesday 02:00 3h Europe/Stockholm')
    const table: Readonly<Record<string, string>> = {
      '2026-11-23T00:59:59.999Z': '2026-11-23T01:00',
      '2026-11-23T01:00Z': 'open',
      '2026-11-23T03:59:59.999Z': 'open',
      '2026-11-23T04:00Z': '2026-11-24T01:00',
      '2026-11-24T04:00Z': '2026-11-30T01:00',
    }
    for (const [time, expected] of Object.entries(table)) expect(at(windows, time), time).to.equal(expected)
    expect(closes(windows, '2026-11-23T01:00Z')).to.equal('2026-11-23T04:00')
    expect(closes(windows, '2026-11-23T04:00Z'), 'a closed one').to.equal('2026-11-23T04:00')
  })

  it('A62 open on Saturday at midnight for what was triggered on Friday afternoon', () => {
    const windows = provider('Saturday,Sunday 00:00 2h UTC')
    expect(at(windows, '2026-11-27T15:00Z')).to.equal('2026-11-28T00:00')
  })

  it('A62 count to the day on which they open if they pass midnight', () => {
    const windows = provider('Friday 23:00 4h America/New_York')
    expect(at(windows, '2026-11-28T07:59Z')).to.equal('open')
    expect(at(windows, '2026-11-28T08:00Z')).to.equal('2026-12-05T04:00')
    expect(closes(windows, '2026-11-28T04:30Z')).to.equal('2026-11-28T08:00')
  })

  it('A61 are open if any of one party is, and are one if they overlap or touch each other', () => {
    const windows = provider(
      'Monday 01:00 2h UTC',
      'Monday 03:00 1h UTC',
      'Monday 02:30 1h UTC',
      'Monday 01:00 2h UTC',
    )
    expect(closes(windows, '2026-11-23T01:00Z')).to.equal('2026-11-23T04:00')
  })

  it('D8 need both parties to be open, if both have windows', () => {
    const windows: Windows = {
      provider: [window('Saturday,Sunday 00:00 6h UTC')],
      owner: [window('Sunday,Monday 05:00 3h UTC')],
    }
    expect(at(windows, '2026-11-28T01:00Z'), 'only the provider').to.equal('2026-11-29T05:00')
    expect(at(windows, '2026-11-29T05:59Z')).to.equal('open')
    expect(at(windows, '2026-11-29T06:00Z'), 'only the owner').to.equal('2026-12-06T05:00')
    expect(closes(windows, '2026-11-29T05:00Z')).to.equal('2026-11-29T06:00')
    const owned: Windows = { provider: [], owner: windows.owner }
    expect(at(owned, '2026-11-29T07:59Z'), 'of the owner alone').to.equal('open')
  })

  it('G13 D8 say that they never open if the two parties never meet', () => {
    const windows: Windows = {
      provider: [window('Monday 02:00 1h UTC')],
      owner: [window('Tuesday 02:00 1h UTC')],
    }
    const state = windowAt(windows, Date.parse('2026-11-23T12:00Z'))
    expect(state).to.deep.equal({ isOpen: false })
    expect(state.isOpen || closedText(state)).to.equal(
      'waits for the upgrade window, which never opens: the windows of provider and owner have no time in common',
    )
  })

  it('D8 may meet only while one of two zones has put its clocks forward', () => {
    const windows: Windows = {
      provider: [window('Monday 02:00 1h Europe/Stockholm')],
      owner: [window('Monday 00:00 1h UTC')],
    }
    expect(at(windows, '2026-11-23T12:00Z')).to.equal('2027-03-29T00:00')
  })

  it('A62 last as long as they say, whatever the clocks do meanwhile', () => {
    const windows = provider('Sunday 01:00 4h Europe/Stockholm')
    expect(closes(windows, '2026-03-29T00:00Z'), 'put forward').to.equal('2026-03-29T04:00')
    expect(closes(windows, '2026-10-24T23:00Z'), 'put back').to.equal('2026-10-25T03:00')
  })

  it('A62 open once for a start that the clocks skip or show twice', () => {
    const stockholm = provider('daily 02:30 1h Europe/Stockholm')
    expect(at(stockholm, '2026-03-28T02:30Z'), 'skipped').to.equal('2026-03-29T01:30')
    const after = provider('daily 03:00 1h Europe/Stockholm')
    expect(at(after, '2026-03-28T12:00Z'), 'the first that is not skipped').to.equal('2026-03-29T01:00')
    expect(at(stockholm, '2026-10-24T12:00Z'), 'the first of two').to.equal('2026-10-25T00:30')
    expect(at(stockholm, '2026-10-25T01:30Z'), 'not at the second').to.equal('2026-10-26T01:30')
    const lordHowe = provider('daily 02:15 30m Australia/Lord_Howe'.replace('30m', '0.5h'))
    expect(at(lordHowe, '2026-10-03T12:00Z'), 'half an hour is skipped').to.equal('2026-10-03T15:45')
  })

  it('A62 may be open for a whole week, and then are never closed', () => {
    const windows = provider('Monday 00:00 168h UTC')
    expect(at(windows, '2026-11-25T12:00Z')).to.equal('open')
    expect(closes(windows, '2026-11-25T12:00Z')).to.equal('never')
  })

  it('G13 tell in the time of the site when they open', () => {
    const state = windowAt(provider('Saturday 02:00 3h Europe/Stockholm'), Date.parse('2026-11-23T12:00Z'))
    expect(state.isOpen || closedText(state)).to.equal(
      'waits for the upgrade window, which opens 2026-11-28 02:00 Europe/Stockholm',
    )
  })
})
