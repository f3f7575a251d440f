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
 * contain the side after. What it replaces ran from the other ones of these, too. A side is empty if an image has no
 * digest or is no longer known.
 */
export function digestsOf(change: Change): ChangedDigests {
  const { site, application, service, action, fields, prepare, stages } = change
  const images = fields.filter(({ touches }) => touches === 'image')
  const [from, to] = [images.flatMap(one => digestIn(one.from)), images.flatMap(one => digestIn(one.to))]
  const kept = [...prepare, ...stages.flat()].flatMap(createdDigest).filter(digest => !to.includes(digest))
  return {
    site,
    application,
    service,
    before: distinct([...from, ...(action === 'replace' ? kept : [])]),
    after: distinct([...to, ...kept]),
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
