import { Readable } from 'node:stream'
import type { Answer } from './call.ts'
import type { Daemon } from './container.ts'
import type { Filters } from './filters.ts'

/** Answers with the events that match, one JSON value a line, until the connection ends. */
export function eventStream(daemon: Daemon, filters: Filters): Answer {
  const stream = new Readable({ read: () => {} })
  const unsubscribe = daemon.events.subscribe(filters, message => {
    stream.push(`${JSON.stringify(message)}\n`)
  })
  stream.once('close', unsubscribe)
  return { status: 200, stream, headers: { 'content-type': 'application/json' } }
}
