import type { LocalImage } from '../engine.ts'
import type { Failure } from '../errors.ts'
import { familiarReference, formatReference, type Reference } from '../state/image/reference.ts'
import { isWithheld, type Resolution, untold } from './resolution.ts'

/**
 * Resolves a tag if its registry did not say what it means (E26, D5). An image that was built or loaded on the engine
 * runs by its id. An image from a registry waits for the registry, or is refused with the registry's answer.
 * @param local what the engine has under this tag
 */
export function untoldTag(reference: Reference, local: LocalImage | undefined, failure: Failure): Resolution {
  if (local !== undefined && isOfEngineOnly(local, reference, failure)) return unverified(reference, local)
  return untold(failure)
}

/**
 * With containerd's image store the id of an image is its digest, and it has a repository digest for each of its tags,
 * wherever it comes from. If the registry answers that it has no such image, it is the engine's own. While the registry
 * does not answer, nobody knows.
 */
function isOfEngineOnly(local: LocalImage, { host, repository }: Reference, failure: Failure): boolean {
  const name: Reference = { host, repository }
  const prefixes = [`${familiarReference(name)}@`, `${formatReference(name)}@`]
  const digests = local.repoDigests.flatMap(each =>
    prefixes.filter(prefix => each.startsWith(prefix)).map(prefix => each.slice(prefix.length)),
  )
  return digests.every(digest => digest === local.id && isWithheld(failure))
}

function unverified(reference: Reference, local: LocalImage): Resolution {
  return {
    kind: 'settled',
    pin: { state: 'unverified', imageId: local.id },
    warning: {
      code: 'image-unverified',
      message: `${formatReference(reference)}: the image is on the engine only; it cannot be verified`,
    },
  }
}
