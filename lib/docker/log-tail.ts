import type { Client } from './client.ts'

/** The last lines a container wrote, both streams; empty when the engine keeps no log that can be read. */
export async function logTail(client: Client, container: string, signal: AbortSignal): Promise<string> {
  const answer = await client.call<unknown>(
    { method: 'GET', path: `/containers/${container}/logs`, query: { stdout: 1, stderr: 1, tail: 5 } },
    signal,
  )
  return answer.ok && Buffer.isBuffer(answer.body) ? textOf(answer.body) : ''
}

const headerBytes = 8

/** Takes the engine's frames off: a byte for the stream, three that are zero, four for the length. */
export function textOf(log: Buffer): string {
  const parts: string[] = []
  for (let at = 0; at + headerBytes <= log.length; ) {
    const end = at + headerBytes + log.readUInt32BE(at + 4)
    parts.push(log.toString('utf8', at + headerBytes, end))
    at = end
  }
  return parts.join('')
}
