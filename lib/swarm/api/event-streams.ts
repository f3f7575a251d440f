import { Readable } from 'node:stream'
import type { Client } from '../../docker/api/client.ts'
import type { EngineAnswer, EngineRequest } from '../../docker/api/connection/dial.ts'
import { Failure } from '../../errors.ts'

/** The streams of events of the managers of a site. Only that of the manager that is asked stays open. */
export type EventStreams = {
  /** Notes the stream, if this is one that a manager has just opened. */
  opened(manager: Client, request: EngineRequest, answer: EngineAnswer<unknown>): void
  /** Ends, with `swarm-unavailable`, the streams of all managers but the one that is asked. */
  endOthers(): void
}

/**
 * Who is no manager any more, or is cut off from the others, keeps its stream open and tells of no service. So whoever
 * listens has to ask the next one as soon as calls go there.
 */
export function eventStreams(present: () => Client): EventStreams {
  const streams = new Map<Readable, Client>()
  const endOthers = () => {
    for (const [stream, manager] of streams)
      if (manager !== present())
        stream.destroy(new Failure('swarm-unavailable', `${manager.site}: another manager is asked by now`))
  }
  return {
    opened(manager, { path }, answer) {
      if (path !== '/events' || !answer.ok || !(answer.body instanceof Readable)) return
      const stream = answer.body
      streams.set(stream, manager)
      stream.once('close', () => streams.delete(stream))
      // It may end before anybody reads it, who finds out then.
      stream.on('error', () => undefined)
      // Another call may have gone on while this one was answered.
      endOthers()
    },
    endOthers,
  }
}
