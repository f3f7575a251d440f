import type { Change } from '../../plan/change/change.ts'
import { isMaking } from '../../plan/step/making.ts'
import type { Step } from '../../plan/step/step.ts'

/** The image digests of a service before a change, and those that it was to have afterwards (G25). */
export type ChangedDigests = {
  readonly site: string
  readonly application: string
  readonly service: string
  readonly before: readonly string[]
  readonly after: readonly string[]
}

/**
 * Reads the digests from the change itself: its image fields contain both sides, and the containers that it creates
 * contain the side after. A side is empty if an image has no digest or is no longer known.
 */
export function digestsOf({ site, application, service, fields, prepare, stages }: Change): ChangedDigests {
  const images = fields.filter(({ touches }) => touches === 'image')
  const created = [...prepare, ...stages.flat()].flatMap(createdDigest)
  return {
    site,
    application,
    service,
    before: distinct(images.flatMap(({ from }) => digestIn(from))),
    after: distinct([...images.flatMap(({ to }) => digestIn(to)), ...created]),
  }
}

/** Returns the digest in a reference such as `web:2@sha256:…`. */
function digestIn(image: string | undefined): readonly string[] {
  const at = image?.lastIndexOf('@') ?? -1
  return image === undefined || at < 0 ? [] : [image.slice(at + 1)]
}

function createdDigest(step: Step): readonly string[] {
  return isMaking(step) && step.spec.image.pin.state === 'pinned' ? [step.spec.image.pin.digest] : []
}

function distinct(digests: readonly string[]): readonly string[] {
  return [...new Set(digests)]
}
