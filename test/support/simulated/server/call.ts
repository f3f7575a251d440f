import type { Readable } from 'node:stream'
import type { Daemon } from '../container/container.ts'

/** A call, without the version of the API. */
export type Call = {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly body: Buffer
}

/** What the engine answers: nothing more than a status, a value, bytes, or a stream. */
export type Answer = {
  readonly status: number
  readonly json?: unknown
  readonly bytes?: Buffer
  readonly stream?: Readable
  readonly headers?: Readonly<Record<string, string>>
}

export type Handler = (daemon: Daemon, call: Call, name: string) => Answer | Promise<Answer>

/** The calls of one path: the name in the path is handed on. */
export type Route = readonly [method: string, path: RegExp, handler: Handler]

/** The answer to a question. */
export const ok = (json: unknown): Answer => ({ status: 200, json })
/** The answer of a call that did something, and has nothing to say. */
export const done: Answer = { status: 204 }
/** There was nothing to do. */
export const unchanged: Answer = { status: 304 }
/** As `done`, in another form. */
export const empty: Answer = { status: 200, bytes: Buffer.alloc(0) }

/** Whether a value of the query says yes. */
export const isSet = (value: string | null) => value !== null && !['', '0', 'false'].includes(value)

/** Returns the value of a body; empty: no fields. */
export function readJson(body: Buffer): ReturnType<typeof JSON.parse> {
  return body.length === 0 ? {} : JSON.parse(body.toString())
}
