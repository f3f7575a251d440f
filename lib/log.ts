import { createLogger, format, type Logger, transports } from 'winston'
import { timeOfDayMs } from './clock.ts'
import { printable, printableJson } from './text/printable.ts'
import { maskCredentials } from './text/redaction/mask.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

export type LogFormat = 'auto' | 'pretty' | 'json'

export type LogValue = string | number | boolean | undefined | readonly LogValue[]

/** What a line is about: `environment`, `site`, `pass`, … Undefined fields are left out. */
export type LogFields = Readonly<Record<string, LogValue>>

export type Log = {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
  /** Returns the same log with fields that are added to each line. */
  with(fields: LogFields): Log
}

export type LogOptions = {
  readonly level: LogLevel
  /** `auto`: pretty on a terminal, JSON lines otherwise. */
  readonly format: LogFormat
  /** Standard error, because standard output is for results. */
  readonly stream: NodeJS.WritableStream & { readonly isTTY?: boolean }
}

/**
 * Creates the log of this process, with one line per message. Credentials in URLs are masked and control characters
 * escaped (G16). Loading this module loads winston, so commands that log nothing import only its types.
 */
export function createLog(options: LogOptions): Log {
  const pretty = options.format === 'pretty' || (options.format === 'auto' && options.stream.isTTY === true)
  const render = pretty ? prettyLine : jsonLine
  const logger = createLogger({
    level: options.level,
    format: format.printf(entry => String(entry.message)),
    transports: [new transports.Stream({ stream: options.stream, eol: '\n' })],
  })
  return logWith(logger, render, {})
}

type Line = {
  readonly time: Date
  readonly level: LogLevel
  readonly message: string
  readonly fields: LogFields
}

function logWith(logger: Logger, render: (line: Line) => string, standing: LogFields): Log {
  const write =
    (level: LogLevel) =>
    (message: string, fields: LogFields = {}) => {
      if (!logger.isLevelEnabled(level)) return
      const line = {
        time: new Date(timeOfDayMs()),
        level,
        message: maskCredentials(message),
        fields: { ...standing, ...fields },
      }
      logger.log({ level, message: render({ ...line, fields: maskFields(line.fields) }) })
    }
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    with: fields => logWith(logger, render, { ...standing, ...fields }),
  }
}

function maskFields(fields: LogFields): LogFields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, maskValue(value)]))
}

function maskValue(value: LogValue): LogValue {
  if (typeof value === 'string') return maskCredentials(value)
  return typeof value === 'object' ? value.map(maskValue) : value
}

/** Returns `{"time": …, "level": …, "message": …, <fields>}`. A field cannot replace the first three. */
function jsonLine({ time, level, message, fields }: Line): string {
  const head = { time: time.toISOString(), level, message }
  return printableJson({ ...head, ...fields, ...head })
}

/**
 * Returns `12:01:33 warn prod  message  key=value`: the local time, the level unless it is `info`, and the environment
 * first.
 */
function prettyLine({ time, level, message, fields }: Line): string {
  const { environment, ...rest } = fields
  const clock = [time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(':')
  const head = [
    clock,
    ...(level === 'info' ? [] : [level]),
    ...(environment === undefined ? [] : [environment]),
  ]
  const pairs = Object.entries(rest).flatMap(([name, value]) =>
    value === undefined ? [] : [pair(name, value)],
  )
  return printable([head.join(' '), message, ...(pairs.length === 0 ? [] : [pairs.join(' ')])].join('  '))
}

function two(part: number): string {
  return String(part).padStart(2, '0')
}

function pair(name: string, value: Exclude<LogValue, undefined>): string {
  const text = typeof value === 'object' ? value.join(',') : String(value)
  return `${name}=${/^[^\s"=]+$/.test(text) ? text : JSON.stringify(text)}`
}
