import { createHash } from 'node:crypto'
import type { RegistryLogin } from '../../engine.ts'
import { Failure } from '../../errors.ts'
import { declarationOf, type ImageDeclaration } from '../../state/image/declaration.ts'
import type { Reference } from '../../state/image/reference.ts'
import { authorize } from './authorize.ts'
import { get, type RegistryAnswer, Unanswered } from './get.ts'
import { apiHost, isLoopback } from './host.ts'
import { parseObject } from './json.ts'
import { RateLimited, rateLimit } from './pause.ts'
import { configIn, type PlatformManifest, platformIn, platformsIn } from './platforms.ts'

/**
 * Asks the registry itself for the platform manifests in an index. An image that is no index is its own, for the
 * platform that its configuration names; anything else has none. Every answer is compared with its digest. Fails with
 * `registry-…` or `image-not-found`.
 */
export async function platformManifests(
  place: Place,
  digest: string,
  login: RegistryLogin | undefined,
  signal: AbortSignal,
): Promise<readonly PlatformManifest[]> {
  const contentOf = contentsAt(place, login, signal)
  const manifest = await contentOf('manifests', digest)
  const config = configIn(manifest)
  if (config === undefined) return platformsIn(manifest)
  return [{ digest, ...platformIn(parseObject(await contentOf('blobs', config))) }]
}

/**
 * Asks the registry itself what an image says of how it runs. Of an index it is the image for the platform, or without
 * such a one the first. Undefined if it is something else. Fails as `platformManifests` does.
 */
export async function imageDeclaration(
  place: Place,
  digest: string,
  platform: string,
  login: RegistryLogin | undefined,
  signal: AbortSignal,
): Promise<ImageDeclaration | undefined> {
  const contentOf = contentsAt(place, login, signal)
  const manifest = await contentOf('manifests', digest)
  const all = platformsIn(manifest)
  const own = all.find(one => one.platform === platform) ?? all[0]
  const config = configIn(own === undefined ? manifest : await contentOf('manifests', own.digest))
  if (config === undefined) return undefined
  const said = parseObject(await contentOf('blobs', config))
  return said && declarationOf(said['config'], platformIn(said).platform)
}

type Place = Pick<Reference, 'host' | 'repository'>

/** Returns a function that asks for content by its digest. */
function contentsAt({ host, repository }: Place, login: RegistryLogin | undefined, signal: AbortSignal) {
  return async (kind: Kind, digest: string): Promise<string> => {
    const answer = await ask(kind, { host, repository, digest }, login, signal)
    const where = `${host}/${repository}@${digest}`
    const failure = failureOf(answer, where)
    if (failure !== undefined) throw failure
    if (`sha256:${createHash('sha256').update(answer.body).digest('hex')}` !== digest)
      throw new Failure('registry-unreachable', `${where}: the registry's answer does not match the digest`)
    return answer.body.toString('utf8')
  }
}

/** What registries keep: manifests, and everything else. */
type Kind = 'manifests' | 'blobs'

/** Returns what a registry that refuses to answer says about when to ask again; undefined if it says nothing. */
export async function retryAfter(
  reference: Reference,
  login: RegistryLogin | undefined,
  signal: AbortSignal,
): Promise<RateLimited | undefined> {
  try {
    const { host, repository } = reference
    const failure = failureOf(await ask('manifests', reference, login, signal), `${host}/${repository}`)
    return failure instanceof RateLimited ? failure : undefined
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return error instanceof RateLimited ? error : undefined
  }
}

const manifestTypes = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ')

/**
 * Uses HTTPS, and plain HTTP for this machine, as engines do. Other hosts that speak plain HTTP are asked too, but
 * without credentials; their answer is compared with a known digest. One that answered over HTTPS speaks that: whatever
 * fails later, such as its token server, is told as it is.
 */
async function ask(
  kind: Kind,
  reference: Reference,
  login: RegistryLogin | undefined,
  signal: AbortSignal,
): Promise<RegistryAnswer> {
  const { host, repository, tag = 'latest', digest = tag } = reference
  const path = `${apiHost(host)}/v2/${repository}/${kind}/${digest}`
  const url = `${isLoopback(host) ? 'http' : 'https'}://${path}`
  const accept = { accept: manifestTypes }
  let answer: RegistryAnswer
  try {
    answer = await get(url, accept, signal)
  } catch (error) {
    if (!(error instanceof Unanswered) || isLoopback(host)) throw error
    return await get(`http://${path}`, accept, signal).catch(() => {
      throw error
    })
  }
  if (answer.status !== 401) return answer
  const authorization = await authorize(answer, reference, login, signal)
  if (authorization === undefined) return answer
  return await get(url, { ...accept, authorization }, signal)
}

/** Returns why an answer is no manifest; undefined if it is one. */
function failureOf({ status, headers }: RegistryAnswer, where: string): Failure | undefined {
  if (status === 200) return undefined
  if (status === 401 || status === 403)
    return new Failure('registry-denied', `${where}: the registry refuses access (HTTP ${status})`)
  if (status === 404) return new Failure('image-not-found', `${where}: the registry has no such manifest`)
  if (status !== 429)
    return new Failure('registry-unreachable', `${where}: the registry answers with HTTP ${status}`)
  return rateLimit(`${where}: the registry refuses further requests for now (HTTP 429)`, headers)
}
