import type { Container as Model } from '../../state/application/container/container.ts'
import { nearest } from '../../text/suggestion/nearest.ts'
import type { Container } from '../application.gen.ts'
import { parseBytes } from '../grammar/bytes.ts'
import type { Spot } from '../spot.ts'
import { readPairs } from './value/pairs.ts'

/**
 * Reads Compose's `logging`. Refuses what the engine's own drivers do not accept, because the engine would report it
 * only when the container is created or started. Without a driver, only options that every local driver accepts are
 * allowed, because nobody knows where another one would write.
 */
export function readLogging(
  { driver, options = {} }: NonNullable<Container['logging']>,
  spot: Spot,
): Model['logging'] {
  const at = spot.at('options')
  const read = readPairs(options, at)
  if (driver === undefined) {
    for (const name of Object.keys(read))
      if (!localOptions.includes(name))
        at.fault(`sets ${name}, which needs a "driver"; without one there are ${localOptions.join(', ')}`)
  } else faultUnknown(driver, read, at)
  faultValues(driver, read, at)
  if (driver !== undefined) return { driver, options: read }
  return Object.keys(read).length === 0 ? undefined : { options: read }
}

type Options = Readonly<Record<string, string>>

const localOptions = ['max-size', 'max-file', 'compress']
const choosing = ['labels', 'labels-regex', 'env', 'env-regex', 'tag']
/** Options that the engine itself reads, whatever the driver is. */
const engineOptions = [
  'mode',
  'max-buffer-size',
  'cache-disabled',
  'cache-max-size',
  'cache-max-file',
  'cache-compress',
]

/** Options that the engine's own drivers know. `none` accepts anything, and other drivers decide for themselves. */
const known: ReadonlyMap<string, readonly string[]> = new Map([
  ['json-file', [...localOptions, ...choosing, ...engineOptions]],
  ['local', [...localOptions, ...engineOptions]],
  ['journald', [...choosing, ...engineOptions]],
])

function faultUnknown(driver: string, options: Options, spot: Spot): void {
  const names = known.get(driver)
  if (names === undefined) return
  for (const name of Object.keys(options)) {
    if (names.includes(name)) continue
    const meant = nearest(name, names)
    const instead = meant === undefined ? `there are ${names.join(', ')}` : `did you mean "${meant}"?`
    spot.at(name).fault(`is no option of the log driver ${driver}; ${instead}`)
  }
}

/** Checks the values for drivers that write files, and for the buffer in front of any driver. */
function faultValues(driver: string | undefined, options: Options, spot: Spot): void {
  const { mode = '', 'max-buffer-size': buffer } = options
  if (!['', 'blocking', 'non-blocking'].includes(mode))
    spot.at('mode').fault(`is "${mode}"; there are blocking and non-blocking`)
  if (buffer !== undefined) faultBuffer(buffer, mode, spot.at('max-buffer-size'))
  if (driver !== undefined && driver !== 'json-file' && driver !== 'local') return
  const { 'max-size': size, 'max-file': files, compress } = options
  if (size !== undefined) spot.at('max-size').take(parseBytes(size))
  if (files !== undefined && !/^0*[1-9]\d{0,8}$/.test(files))
    spot.at('max-file').fault(`is "${files}" and not a number of files, of which there is one at least`)
  if (compress !== undefined && !truth.test(compress))
    spot.at('compress').fault(`is "${compress}"; there are true and false`)
  const compresses = compress === undefined ? driver === 'local' : truthy.test(compress)
  const isAlone = files === undefined ? driver === 'json-file' : Number(files) === 1
  if (compresses && driver !== undefined && (isAlone || (driver === 'json-file' && size === undefined)))
    spot.fault(
      driver === 'local'
        ? 'keeps one file, and local compresses those before it; set "compress: false", or more of "max-file"'
        : 'compresses files that are full, of which there are none; set "max-size", and 2 or more for "max-file"',
    )
}

/** The spellings of booleans that the engine reads. */
const truth = /^(1|0|[tTfF]|true|True|TRUE|false|False|FALSE)$/
const truthy = /^(1|[tT]|true|True|TRUE)$/

/** Lines that wait for a slow driver are in the memory of the engine, which no limit of the container counts (G24). */
function faultBuffer(written: string, mode: string, spot: Spot): void {
  if (mode !== 'non-blocking') spot.fault('is for "mode: non-blocking"')
  const size = spot.take(parseBytes(written))
  if (size !== undefined && size > mostBuffered)
    spot.fault(`"${written}" is more than 64m, the most that a log may take of the engine's own memory`)
}

const mostBuffered = 64 * 1024 * 1024
