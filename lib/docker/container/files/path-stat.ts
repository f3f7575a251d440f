import type { IncomingMessage } from 'node:http'
import { posix } from 'node:path'
import { Failure } from '../../../errors.ts'
import { isRecord } from '../../../object.ts'
import { parsedJson } from '../../../parsed-json.ts'
import { type Client, patientMs } from '../../api/client.ts'
import type { EngineAnswer } from '../../api/connection/dial.ts'
import { refused } from '../../api/refusal.ts'

/** What the engine says of a path in a container. */
export type PathStat = {
  readonly isDirectory: boolean
  /** Whether anybody at all may execute it. */
  readonly isExecutable: boolean
  /** Where a link leads to; empty if it is none. */
  readonly linkTarget: string
}

/** Go's mark of a directory in a mode. */
const directoryMark = 2 ** 31

/** Returns what the engine says of a path in a container, which need not run; undefined if there is none. */
export async function statOf(
  client: Client,
  container: string,
  path: string,
  signal: AbortSignal,
): Promise<PathStat | undefined> {
  const answer = await statAnswer(client, container, path, signal)
  if (answer.ok) return answer.body
  if (answer.status === 404) return undefined
  throw refused(client.site, path, answer)
}

/** Returns the same, or how the engine refuses: with 404 if there is none, and otherwise if links lead in a circle. */
export async function statAnswer(
  client: Client,
  container: string,
  path: string,
  signal: AbortSignal,
): Promise<EngineAnswer<PathStat>> {
  const answer = await client.call<IncomingMessage>(
    {
      method: 'HEAD',
      path: `/containers/${container}/archive`,
      query: { path },
      stream: { wholeMs: patientMs },
    },
    signal,
  )
  if (!answer.ok) return answer
  answer.body.resume()
  const text = Buffer.from(String(answer.body.headers['x-docker-container-path-stat']), 'base64').toString()
  const stat = parsedJson(text)
  if (!isRecord(stat))
    throw new Failure(
      'engine-unreachable',
      `${client.site}: what is at ${path} in ${container} is not told as a Docker Engine tells it`,
    )
  const mode = Number(stat['mode'] ?? 0)
  const linkTarget = String(stat['linkTarget'] ?? '')
  const isExecutable = (mode & 0o111) !== 0
  return { ok: true, body: { isDirectory: mode >= directoryMark, isExecutable, linkTarget } }
}

const mostLinks = 8

/** Returns where a path leads to when its links are followed; undefined if there is nothing. */
export async function followed(
  client: Client,
  container: string,
  path: string,
  signal: AbortSignal,
): Promise<{ readonly path: string; readonly stat: PathStat } | undefined> {
  let at = path
  for (let links = 0; links <= mostLinks; links += 1) {
    const stat = await statOf(client, container, at, signal)
    if (stat === undefined || stat.linkTarget === '') return stat && { path: at, stat }
    at = posix.resolve(posix.dirname(at), stat.linkTarget)
  }
  return undefined
}
