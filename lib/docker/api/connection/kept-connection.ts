import type { EngineRequest } from './dial.ts'

/**
 * Resolves once everything that had arrived before is known, such as the end of a connection that was kept. The agent
 * does not use that connection again. Without this it would, after work during which nothing was read.
 */
export async function takeIn(): Promise<void> {
  // The first turn may belong to the round that is under way; what arrives is read in the one after it.
  await turn()
  await turn()
}

function turn(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}

/**
 * Whether a call without an answer may be made once more, because its connection was closed. The engine may have closed
 * it, or its server in front, just when it was used again. Only a call that changes nothing may be: whether the engine
 * has begun with it is unknown.
 */
export function mayBeRepeated({ method }: EngineRequest, error: unknown): boolean {
  const isReading = method === 'GET' || method === 'HEAD'
  return isReading && error instanceof Error && 'code' in error && closed.has(error.code)
}

/** EPIPE: it was closed before anything was sent. ECONNRESET: before anything of the answer came. */
const closed: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE'])
