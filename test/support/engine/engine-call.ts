import { type Answer, httpCall } from '../network/http-call.ts'

/** One request to an engine's API over its socket; the path starts with a slash and names no API version. */
export function engineCall(socket: string, method: string, path: string, body?: unknown): Promise<Answer> {
  const headers = body === undefined ? {} : { 'content-type': 'application/json' }
  const options = { socketPath: socket, method, path, headers, agent: false as const }
  return httpCall(options, body === undefined ? undefined : JSON.stringify(body))
}

/** The JSON answer of a GET request; throws when the engine refuses. */
export async function engineGet(socket: string, path: string): Promise<unknown> {
  const answer = await engineCall(socket, 'GET', path)
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.body.toString()}`)
  return JSON.parse(answer.body.toString())
}

/** Whether an engine answers on this socket. */
export async function engineAnswers(socket: string): Promise<boolean> {
  const answer = await engineCall(socket, 'GET', '/_ping').catch(() => undefined)
  return answer?.status === 200
}
