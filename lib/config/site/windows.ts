import type { Windows as Written, Window as WrittenWindow } from '../../config.gen.ts'
import { parseDuration } from '../../spec/grammar/duration.ts'
import { type Weekday, type Window, type Windows, weekdays } from '../../state/fleet/window.ts'
import type { Parsed } from '../../state/parsed.ts'
import { malformed, parsed } from '../../state/parsed.ts'
import { clockText } from '../../text/time.ts'
import type { NoteFault } from '../listeners.ts'

/**
 * Reads the upgrade windows of a site (A60). A plain list is the provider's. Returns undefined if there are none.
 * @param timezone the time zone of the site; absent: windows have to name one
 * @param pointer where the windows are written, as a JSON pointer
 */
export function readWindows(
  written: Written | undefined,
  timezone: string | undefined,
  pointer: string,
  fault: NoteFault,
): Windows | undefined {
  if (written === undefined) return undefined
  const listOf = (list: readonly WrittenWindow[] | undefined, at: string) =>
    readList(list ?? [], timezone, at, fault)
  const windows = Array.isArray(written)
    ? { provider: listOf(written, pointer), owner: [] }
    : {
        provider: listOf(written.provider, `${pointer}/provider`),
        owner: listOf(written.owner, `${pointer}/owner`),
      }
  return windows.provider.length + windows.owner.length === 0 ? undefined : windows
}

/** Reports a time zone of a site that is unknown. `pointer` is that of the site. */
export function faultTimezone(timezone: string | undefined, pointer: string, fault: NoteFault): void {
  if (timezone !== undefined && !isZone(timezone)) fault(`${pointer}/timezone`, noZone(timezone))
}

/** What is decided anew at each pass has to be little. */
const mostWindows = 32

function readList(
  list: readonly WrittenWindow[],
  timezone: string | undefined,
  pointer: string,
  fault: NoteFault,
): readonly Window[] {
  if (list.length <= mostWindows)
    return list.flatMap((window, index) => readWindow(window, timezone, `${pointer}/${index}`, fault))
  fault(pointer, `has ${list.length} windows; a party has at most ${mostWindows}`)
  return []
}

function readWindow(
  { daysOfWeek = [], startTime, timezone = siteLocal, duration }: WrittenWindow,
  siteZone: string | undefined,
  pointer: string,
  fault: NoteFault,
): readonly Window[] {
  const days = parseDays(daysOfWeek)
  if (!days.ok) fault(`${pointer}/daysOfWeek`, days.reason)
  const start = parseStart(startTime)
  if (!start.ok) fault(`${pointer}/startTime`, start.reason)
  const zone = parseZone(timezone, siteZone)
  if (!zone.ok) fault(`${pointer}/timezone`, zone.reason)
  const length = parseLength(duration)
  if (!length.ok) fault(`${pointer}/duration`, length.reason)
  if (!days.ok || !start.ok || !zone.ok || !length.ok) return []
  return [{ days: days.value, startMinutes: start.value, zone: zone.value, durationMs: length.value }]
}

function parseDays(written: string | readonly string[]): Parsed<readonly Weekday[]> {
  const names = typeof written === 'string' ? written.split(',') : written
  const found: Weekday[] = []
  for (const name of names) {
    const day = weekdays.find(one => one.toLowerCase() === name.trim().toLowerCase())
    if (day === undefined) return malformed(`"${name.trim()}" is no day; write ${weekdays.join(', ')}`)
    if (!found.includes(day)) found.push(day)
  }
  return parsed(found)
}

/** Programs that write YAML 1.1 make a number of a time: its minutes. It is refused rather than guessed (A63). */
function parseStart(written: string | number): Parsed<number> {
  if (typeof written === 'number') {
    const isTime = written >= 0 && written < 24 * 60
    const meant = isTime ? `; if it comes from YAML 1.1, write "${clockText(written)}"` : ''
    return malformed(`${written} is a number and no time of day${meant}`)
  }
  const [, hours, minutes] = /^(\d\d):(\d\d)$/.exec(written) ?? []
  const [hour, minute] = [Number(hours), Number(minutes)]
  return hour < 24 && minute < 60
    ? parsed(hour * 60 + minute)
    : malformed(`"${written}" is no time of day; write it as "02:00", from 00:00 to 23:59`)
}

const siteLocal = 'site-local'

function parseZone(written: string, siteZone: string | undefined): Parsed<string> {
  if (written !== siteLocal) return isZone(written) ? parsed(written) : malformed(noZone(written))
  return siteZone === undefined
    ? malformed('is that of the site, which needs a "timezone" then; name one here or there')
    : parsed(siteZone)
}

function noZone(written: string): string {
  return `"${written}" is no time zone; write one such as Europe/Stockholm, or UTC`
}

/** Names that the runtime lists are found without the cost of trying them. */
function isZone(name: string): boolean {
  if (Intl.supportedValuesOf('timeZone').includes(name)) return true
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

const longestMs = 7 * 24 * 60 * 60 * 1000

function parseLength(written: string): Parsed<number> {
  const duration = parseDuration(written)
  if (!duration.ok) return duration
  if (duration.value > longestMs)
    return malformed(`"${written}" is longer than a week; without windows it is always open`)
  return duration.value < 60_000 ? malformed(`"${written}" is shorter than a minute`) : duration
}
