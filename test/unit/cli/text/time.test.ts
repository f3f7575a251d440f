import { expect } from 'chai'
import { agoText, parseTime } from '../../../../lib/cli/text/time.ts'
import { messageOf } from '../../../../lib/errors.ts'

const nowMs = Date.parse('2026-11-26T12:00:00Z')

function timeOf(text: string, direction: 'back' | 'ahead'): string {
  try {
    return new Date(parseTime(text, nowMs, direction)).toISOString()
  } catch (error) {
    return messageOf(error)
  }
}

describe('a time on the command line', () => {
  for (const [text, time] of [
    ['2h', '2026-11-26T14:00:00.000Z'],
    ['1d', '2026-11-27T12:00:00.000Z'],
    ['2026-11-27', '2026-11-27T00:00:00.000Z'],
    ['2026-11-27T08:30Z', '2026-11-27T08:30:00.000Z'],
    ['2026-11-27 08:30:15+02:00', '2026-11-27T06:30:15.000Z'],
    ['2026-11-27T08:30:15+0200', '2026-11-27T06:30:15.000Z'],
    ['2028-02-29', '2028-02-29T00:00:00.000Z'],
  ] as const)
    it(`G14 may be ${text}`, () => {
      expect(timeOf(text, 'ahead')).to.equal(time)
    })

  const written = '2026-11-26T10:00:00.123456789Z'
  for (const [what, text] of [
    ['"logs --timestamps" prints, of the engine', written],
    ['"logs --timestamps" prints, of an engine that leaves zeros out', '2026-11-26T10:00:00.12Z'],
    ['"log --output json" prints', new Date(written).toISOString()],
    ['"docker events" prints', '2026-11-26T11:00:00.123456789+01:00'],
  ] as const)
    it(`G13 may be what ${what}`, () => {
      expect(timeOf(text, 'back')).to.match(/^2026-11-26T10:00:00\.12[03]Z$/)
    })

  for (const text of [
    '2026-02-30',
    '2027-02-29T10:00Z',
    '2027-04-31 10:00+02:00',
    '2027-01-01T10:61',
    '3',
    '90',
    '120',
    'friday 5',
    'next 12',
    '2 hours',
    '26.11.2027',
    '2027-13-01',
    '-2h',
    '',
  ])
    it(`G14 is not ${JSON.stringify(text)}, ahead or back`, () => {
      const told = `"${text}" is neither a duration such as 2h nor a date such as 2026-01-31`
      expect([timeOf(text, 'ahead'), timeOf(text, 'back')]).to.deep.equal([told, told])
    })

  for (const text of ['0', '0h', '2026-11-26', '2026-11-26T12:00:00Z', '2020-01-01'])
    it(`G14 is not over already where it lies ahead, as ${text} is`, () => {
      expect(timeOf(text, 'ahead')).to.match(
        /^".+" is over already: it is \S+Z, and now is 2026-11-26T12:00:00.000Z$/,
      )
      expect(timeOf(text, 'back')).to.match(/Z$/)
    })
})

describe('how long ago something was', () => {
  it('G13 is said in the one unit that a reader needs', () => {
    expect([0, 119_000, 120_000, 3 * 3_600_000, 3 * 86_400_000].map(agoText)).to.deep.equal([
      '0 s ago',
      '119 s ago',
      '2 min ago',
      '3 h ago',
      '3 days ago',
    ])
  })

  it('G13 is not called fresh where the clock was put back since', () => {
    expect(agoText(-400 * 86_400_000)).to.equal(
      '400 days from now by the clock of this machine, which was put back',
    )
  })
})
