import { expect } from 'chai'
import { readWindows } from '../../../../lib/config/site/windows.ts'
import { checkConfig } from '../../../../lib/config.ts'

const hourMs = 60 * 60 * 1000

/** The configuration of one site, in YAML. */
function site(...lines: readonly string[]): string {
  return [
    'repository: {url: /srv/manifests}',
    'sites:',
    '  - name: local',
    ...lines.map(line => `    ${line}`),
  ].join('\n')
}

function faultsOf(...lines: readonly string[]): readonly string[] {
  return checkConfig('tallyman.yaml', site(...lines)).problems.map(({ message }) => message)
}

/** What is wrong with the windows of a site in Stockholm. */
const wrong = (window: string) => faultsOf('timezone: Europe/Stockholm', `windows: [${window}]`)

const read = (written: Parameters<typeof readWindows>[0], timezone?: string) =>
  readWindows(written, timezone, '/windows', (pointer, reason) => {
    throw new Error(`${pointer}: ${reason}`)
  })

describe('the windows of a site in tallyman.yaml', () => {
  it('A60 say days, start, time zone and duration, each party for itself', () => {
    expect(
      read(
        {
          provider: [
            { daysOfWeek: 'Monday, Tuesday', startTime: '02:00', timezone: 'site-local', duration: '3h' },
          ],
          owner: [{ daysOfWeek: ['friday'], startTime: '23:30', timezone: 'UTC', duration: '1h30m' }],
        },
        'Europe/Stockholm',
      ),
    ).to.deep.equal({
      provider: [
        { days: ['Monday', 'Tuesday'], startMinutes: 120, zone: 'Europe/Stockholm', durationMs: 3 * hourMs },
      ],
      owner: [{ days: ['Friday'], startMinutes: 23 * 60 + 30, zone: 'UTC', durationMs: 1.5 * hourMs }],
    })
  })

  it("A60 are the provider's if they are a plain list, open every day by default, and need no time zone of their own", () => {
    expect(read([{ startTime: '00:00', duration: '7d' }], 'Asia/Kolkata')).to.deep.equal({
      provider: [{ days: [], startMinutes: 0, zone: 'Asia/Kolkata', durationMs: 7 * 24 * hourMs }],
      owner: [],
    })
  })

  it('A61 are none if the lists are empty', () => {
    expect(read([])).to.equal(undefined)
    expect(read({ provider: [], owner: [] })).to.equal(undefined)
    expect(read({})).to.equal(undefined)
  })

  it('A60 are accepted in the words of the documentation', () => {
    expect(
      wrong('{daysOfWeek: "Monday, Tuesday", startTime: 02:00, timezone: site-local, duration: 3h}'),
    ).to.deep.equal([])
  })

  it('A60 refuse what has no meaning, and say how it is written', () => {
    const at = '/sites/0/windows/0'
    const table: Readonly<Record<string, string>> = {
      '{daysOfWeek: "Monday, Caturday", startTime: "02:00", duration: 3h}': `${at}/daysOfWeek: "Caturday" is no day; write Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday`,
      '{daysOfWeek: "", startTime: "02:00", duration: 3h}': `${at}/daysOfWeek: "" is no day; write Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday`,
      '{startTime: "24:00", duration: 3h}': `${at}/startTime: "24:00" is no time of day; write it as "02:00", from 00:00 to 23:59`,
      '{startTime: "2:00", duration: 3h}': `${at}/startTime: "2:00" is no time of day; write it as "02:00", from 00:00 to 23:59`,
      '{startTime: "02:00", duration: 3 hours}': `${at}/duration: "3 hours" is no duration; write for example 90s, 1m30s or 500ms`,
      '{startTime: "02:00", duration: 8d}': `${at}/duration: "8d" is longer than a week; without windows it is always open`,
      '{startTime: "02:00", duration: "0"}': `${at}/duration: "0" is shorter than a minute`,
      '{startTime: "02:00", duration: 3h, timezone: Europe/Nowhere}': `${at}/timezone: "Europe/Nowhere" is no time zone; write one such as Europe/Stockholm, or UTC`,
      '{startTime: "02:00", duration: 3h, timezone: "+01:00"}': `${at}/timezone must be the name of a time zone such as Europe/Stockholm, or UTC, not "+01:00"`,
      '{startTime: "02:00"}': `${at}/duration is required`,
      '{startTime: "02:00", duration: 3}': `${at}/duration must be a text, not 3; write 3h`,
    }
    for (const [window, expected] of Object.entries(table))
      expect(wrong(window), window).to.deep.equal([expected])
  })

  it('A63 refuse the number that YAML 1.1 makes of a time, and say which time it was', () => {
    expect(wrong('{startTime: 720, duration: 3h}')).to.deep.equal([
      '/sites/0/windows/0/startTime: 720 is a number and no time of day; if it comes from YAML 1.1, write "12:00"',
    ])
    expect(wrong('{startTime: 1440, duration: 3h}')).to.deep.equal([
      '/sites/0/windows/0/startTime: 1440 is a number and no time of day',
    ])
  })

  it('A60 need the time zone of the site where they go by it', () => {
    expect(faultsOf('windows: {owner: [{startTime: "02:00", duration: 3h}]}')).to.deep.equal([
      '/sites/0/windows/owner/0/timezone: is that of the site, which needs a "timezone" then; name one here or there',
    ])
    expect(
      faultsOf('timezone: site-local', 'windows: [{startTime: "02:00", duration: 3h}]'),
      'not by itself',
    ).to.deep.equal([
      '/sites/0/timezone: "site-local" is no time zone; write one such as Europe/Stockholm, or UTC',
    ])
  })
})
