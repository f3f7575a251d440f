import type Docker from 'dockerode'
import type { Endpoint } from '../../../endpoint.ts'
import { Failure } from '../../../errors.ts'
import { timeout } from '../../../wait/timer.ts'
import { apiVersion } from './api-version.ts'
import { dial, foreignAnswer } from './dial.ts'
import { type EngineVersion, otherEngine } from './engine-version.ts'
import { type SharedByTransports, type Transport, transportTo } from './transport.ts'

/** An engine that is spoken to in the negotiated API version, and its own version. */
export type OpenedEngine = Pick<Transport, 'knock' | 'close'> & {
  readonly docker: Docker
  readonly version: string | undefined
}

const openLimitMs = 10_000

/**
 * Connects to an engine and negotiates the API version. Fails with `engine-unsupported`, `engine-unreachable`, or as
 * the transport does.
 */
export async function openEngine(
  site: string,
  endpoint: Endpoint,
  shared: SharedByTransports,
): Promise<OpenedEngine> {
  const transport = await transportTo(site, endpoint, shared)
  try {
    await transport.connect()
    return await negotiated(site, transport)
  } catch (error) {
    transport.close()
    throw error
  }
}

async function negotiated(site: string, { options, knock, close }: Transport): Promise<OpenedEngine> {
  const { loadDockerode } = await import('./load-dockerode.ts')
  const Docker = loadDockerode()
  const answer = await dial<EngineVersion>(
    new Docker(options),
    { method: 'GET', path: '/version' },
    timeout(openLimitMs),
  )
  const other = answer.ok ? otherEngine(answer.body) : undefined
  if (other !== undefined)
    throw new Failure('engine-unsupported', `${site}: ${other} listens there instead of a Docker Engine`)
  const offered = answer.ok ? answer.body.ApiVersion : undefined
  if (offered === undefined) throw new Failure('engine-unreachable', `${site}: ${foreignAnswer}`)
  const docker = new Docker({ ...options, version: `v${apiVersion(offered)}` })
  return { docker, version: answer.ok ? answer.body.Version : undefined, knock, close }
}
