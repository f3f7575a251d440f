import { catalogue } from '../../errors/catalogue.ts'
import { applicationsAnywhere, type DesiredState, everyVariant } from '../../state/application/desired.ts'
import { hasUnknownImage } from '../../state/application/members.ts'
import { imagesOf } from '../../state/image/images.ts'

/** Whether registries said the same of two states that are resolved from one commit. */
export function isPinnedAs(one: DesiredState, other: DesiredState): boolean {
  const said = (desired: DesiredState) =>
    JSON.stringify([
      imagesOf(applicationsAnywhere(desired)),
      everyVariant(desired).map(({ blocked, warnings }) => [blocked, warnings]),
    ])
  return said(one) === said(other)
}

/** Whether no later answer of a registry could change anything. */
export function isSettled(resolved: DesiredState, pinned: DesiredState): boolean {
  const before = everyVariant(resolved)
  const isOpen = ({ warnings, blocked }: DesiredState, index: number) =>
    warnings.some(({ code }) => code === 'tag-unverified') || blocked.length !== before[index]?.blocked.length
  return !applicationsAnywhere(pinned).some(hasUnknownImage) && !everyVariant(pinned).some(isOpen)
}

/** Whether a registry did not answer, or something else is lacking that may be there later, such as a secret. */
export function mayAnswer(pinned: DesiredState): boolean {
  const problems = everyVariant(pinned).flatMap(({ blocked }) => blocked.flatMap(({ problems }) => problems))
  return (
    applicationsAnywhere(pinned).some(hasUnknownImage) ||
    problems.some(({ code }) => catalogue[code].retry === 'backoff')
  )
}
