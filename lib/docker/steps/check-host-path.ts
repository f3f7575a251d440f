import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { posix } from 'node:path'
import { Failure } from '../../errors.ts'
import type { Provenance, Step } from '../../plan/step/step.ts'
import { type Client, patientMs } from '../api/client.ts'
import { refused } from '../api/refusal.ts'
import { imageOf, platformQuery } from '../container/container-config.ts'
import { inherited } from '../container/inherited.ts'
import { ownLabels } from '../ownership.ts'

type CheckHostPath = Extract<Step, { do: 'check-host-path' }>

/** Where the allowed directory is mounted in the container that is never started. */
const target = '/.tallyman-check'

/**
 * Checks each directory on the way through the engine that will mount it, so that it does not matter where the engine
 * is. Fails with `policy-violation` at a symlink, and with `mount-refused` if there is nothing.
 */
export async function checkHostPath(
  client: Client,
  step: CheckHostPath,
  provenance: Provenance,
  signal: AbortSignal,
): Promise<void> {
  const hash = createHash('sha256').update(`${provenance.environment} ${step.path}`).digest('hex').slice(0, 8)
  const name = `${provenance.environment}.check.${hash}`
  // Several applications may mount the same directory, and the name is given only once.
  await client.inTurn(name, () => checkIn(name, client, step, provenance, signal))
}

async function checkIn(
  name: string,
  client: Client,
  { path, within, image }: CheckHostPath,
  provenance: Provenance,
  signal: AbortSignal,
): Promise<void> {
  const remove = () =>
    client.call({ method: 'DELETE', path: `/containers/${name}`, query: { force: 1 } }, signal)
  // A crash may have left it behind.
  await remove()
  const { labels } = await inherited(client, path, image, signal)
  const made = await client.call(
    {
      method: 'POST',
      path: '/containers/create',
      query: { name, ...platformQuery(image) },
      body: {
        Image: imageOf(image),
        Labels: { ...labels, ...ownLabels(provenance) },
        HostConfig: {
          NetworkMode: 'none',
          Mounts: [{ Type: 'bind', Source: within, Target: target, ReadOnly: true }],
        },
      },
    },
    signal,
  )
  if (!made.ok) throw refused(client.site, path, made)
  try {
    for (const part of partsOf(path, within)) {
      const found = await statOf(client, name, posix.join(target, part), signal)
      const where = `${client.site}: ${posix.join(within, part)}`
      if (found === undefined)
        throw new Failure('mount-refused', `${where}: there is no such path on the host`, { resource: path })
      if (found.linkTarget !== '')
        throw new Failure(
          'policy-violation',
          `${where} is a symlink to ${found.linkTarget}; a mount must not lead out of ${within}, which is allowed`,
          { resource: path },
        )
    }
  } finally {
    await remove()
  }
}

/** Returns `a`, `a/b`, `a/b/c`. */
function partsOf(path: string, within: string): readonly string[] {
  const names = posix.relative(within, path).split('/')
  return names.map((_, index) => names.slice(0, index + 1).join('/'))
}

type Stat = { readonly linkTarget: string }

/** Returns what the engine says of a path in a container; undefined if there is none. */
async function statOf(
  client: Client,
  container: string,
  path: string,
  signal: AbortSignal,
): Promise<Stat | undefined> {
  const answer = await client.call<IncomingMessage>(
    {
      method: 'HEAD',
      path: `/containers/${container}/archive`,
      query: { path },
      stream: { wholeMs: patientMs },
    },
    signal,
  )
  if (!answer.ok) {
    if (answer.status === 404) return undefined
    throw refused(client.site, path, answer)
  }
  answer.body.resume()
  const text = Buffer.from(String(answer.body.headers['x-docker-container-path-stat']), 'base64').toString()
  return JSON.parse(text)
}
