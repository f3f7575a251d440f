import { Readable } from 'node:stream'
import type { Daemon } from '../container/container.ts'
import type { Answer } from './call.ts'
import type { Filters } from './filters.ts'

/**
 * Answers with the events that match, one JSON value a line, until the connection ends.
 * @param since in seconds and their decimals; null: only what happens from now on
 */
export function eventStream(daemon: Daemon, filters: Filters, since: string | null): Answer {
  const stream = new Readable({ read: () => {} })
  const sinceNano = since === null ? undefined : nanosecondsOf(since)
  const unsubscribe = daemon.events.subscribe(filters, sinceNano, message => {
    stream.push(`${JSON.stringify(message)}\n`)
  })
  stream.once('close', unsubscribe)
  return { status: 200, stream, headers: { 'content-type': 'application/json' } }
}

/** Reads the digits as one number: a sum of two would differ from the number that an event tells. */
function nanosecondsOf(text: string): number {
  const [seconds = '', decimals = ''] = text.split('.')
  return Number(seconds + decimals.padEnd(9, '0'))
}
