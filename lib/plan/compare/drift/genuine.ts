import type { LiveContainer } from '../../../state/running/live.ts'
import type { LiveInstance, WantedContainer } from '../instance/instance.ts'

/**
 * Whether an instance can be repaired. A dead or incomplete one, or one with another image than its label says, can
 * only be replaced.
 */
export function isGenuine(live: LiveInstance, wanted: readonly WantedContainer[]): boolean {
  return (
    live.containers.length === wanted.length &&
    live.containers.every(
      container =>
        container.runs?.altered === undefined &&
        container.runs?.replicas === wanted[0]?.placement.runs?.replicas &&
        container.state !== 'dead' &&
        container.state !== 'removing' &&
        !isImageReplaced(
          container,
          wanted.find(({ spec }) => spec.name === container.container),
        ),
    )
  )
}

/**
 * Whether the engine says that a container has another image than its label names. If only the engine knows the image,
 * compares with the desired one.
 */
export function isImageReplaced(
  { engineDigest, digest, isFromOtherImage, imageId }: LiveContainer,
  wanted?: WantedContainer,
): boolean {
  if (isFromOtherImage) return true
  const pin = wanted?.spec.image.pin
  if (pin?.state === 'unverified') return imageId !== undefined && imageId !== pin.imageId
  return engineDigest !== undefined && digest !== '' && engineDigest !== digest
}
