import type { DistributionAnswer, LocalImage } from '../engine.ts'
import { Failure } from '../errors.ts'
import { declarationOf } from '../state/image/declaration.ts'
import { platformName } from '../state/image/platform.ts'
import { formatReference, isDigest, parseReference, readReference } from '../state/image/reference.ts'
import type { Client } from './api/client.ts'
import { questionFailure, refused } from './api/refusal.ts'

/** Returns the image of a reference as the engine has it, without asking a registry; undefined if it has none. */
export async function localImage(
  client: Client,
  reference: string,
  signal: AbortSignal,
): Promise<LocalImage | undefined> {
  const path = `/images/${reference}/json`
  const answer = await client.call<Names & Built>({ method: 'GET', path }, signal)
  if (answer.ok) {
    const { Id, RepoDigests, Os, Architecture, Variant, Config } = answer.body
    const platform = platformName(Os, Architecture, Variant)
    return {
      id: Id,
      repoTags: tagsOf(answer.body),
      repoDigests: RepoDigests ?? [],
      ...(platform === undefined ? {} : { platform }),
      ...(Config ? { declared: declarationOf(Config, platform) } : {}),
    }
  }
  if (answer.status === 404) return undefined
  throw refused(client.site, reference, answer)
}

/**
 * Returns the images that the engine has by digest alone, in one spelling for each, sorted. Images that Tallyman pulls
 * have no tag. An image with a tag was pulled, built or tagged by somebody, and belongs to them (G10).
 */
export async function untaggedImages(client: Client, signal: AbortSignal): Promise<readonly string[]> {
  const answer = await client.call<readonly Names[]>({ method: 'GET', path: '/images/json' }, signal)
  if (!answer.ok) throw refused(client.site, 'list of images', answer)
  return answer.body
    .filter(image => tagsOf(image).length === 0)
    .flatMap(({ RepoDigests }) => RepoDigests ?? [])
    .flatMap(name => {
      const reference = readReference(name)
      return reference.ok ? [formatReference(reference.value)] : []
    })
    .sort()
}

type Built = {
  readonly Id: string
  readonly Os?: string
  readonly Architecture?: string
  readonly Variant?: string
  readonly Config?: object | null
}

/** The names of an image on the engine. */
type Names = { readonly RepoTags: readonly string[] | null; readonly RepoDigests: readonly string[] | null }

/**
 * An engine with containerd's image store lists the full name with which an image was pulled, including the digest,
 * among its tags.
 */
function tagsOf({ RepoTags }: Names): readonly string[] {
  return (RepoTags ?? []).filter(tag => tag !== '<none>:<none>' && !tag.includes('@'))
}

/**
 * Returns what a tag means at its registry, asked through the engine with its proxies and insecure registries (E26).
 * Fails with `image-not-found`, `registry-denied`, `registry-rate-limited` or `registry-unreachable`.
 */
export async function distribution(
  client: Client,
  reference: string,
  signal: AbortSignal,
): Promise<DistributionAnswer> {
  const { host } = parseReference(reference)
  const login = await client.login(host)
  const answer = await client.call<{
    readonly Descriptor: { readonly digest: string; readonly mediaType: string }
  }>(
    {
      method: 'GET',
      path: `/distribution/${reference}/json`,
      asksRegistry: true,
      limitMs: 60_000,
      ...(login === undefined ? {} : { login: { ...login, host } }),
    },
    signal,
  )
  if (answer.ok) {
    const { digest, mediaType } = answer.body.Descriptor
    if (!isDigest(digest))
      throw new Failure(
        'registry-unreachable',
        `${client.site}: ${reference}: the registry answers with a digest that is not sha256: and 64 hex digits`,
        { resource: reference },
      )
    return { digest, mediaType }
  }
  throw questionFailure(client.site, reference, answer)
}
