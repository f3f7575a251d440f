import type { Change } from '../plan/change.ts'
import type { Step } from '../plan/step.ts'

/** Which image digests a service had before a change and was to have after it (G25). */
export type ChangedDigests = {
  readonly site: string
  readonly application: string
  readonly service: string
  readonly before: readonly string[]
  readonly after: readonly string[]
}

/**
 * Read from the change itself: its image fields tell both sides, the containers it creates tell the side after.
 * Empty where an image has no digest or is not known any more.
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

/** `web:2@sha256:…` */
function digestIn(image: string | undefined): readonly string[] {
  const at = image?.lastIndexOf('@') ?? -1
  return image === undefined || at < 0 ? [] : [image.slice(at + 1)]
}

function createdDigest(step: Step): readonly string[] {
  return step.do === 'create-container' && step.spec.image.pin.state === 'pinned'
    ? [step.spec.image.pin.digest]
    : []
}

function distinct(digests: readonly string[]): readonly string[] {
  return [...new Set(digests)]
}
