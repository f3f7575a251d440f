import type { Failure } from '../../errors.ts'
import { imageContent } from '../../state/application/fingerprint.ts'
import type { Applied } from '../compare/past.ts'
import { isMaking, nameOfMade } from '../step/making.ts'
import { type Change, keyOf } from './change.ts'

/** Whether a change brings a service to something new: such an attempt needs an end (D18). */
export function isAttempt({ target, cause }: Change): boolean {
  return target !== 'absent' && cause !== 'drifted'
}

/** Whether a change takes away what was applied: left in the middle, that needs an end as an attempt does (D18). */
export function isTakenAway(
  change: Pick<Change, 'target' | 'cause' | 'site' | 'application' | 'service'>,
  applied: Applied,
): boolean {
  const { target, cause } = change
  return target === 'absent' && cause !== 'drifted' && cause !== 'unneeded' && applied.has(keyOf(change))
}

/** Returns the digests of the images that a change removes. */
export function removedDigests({ stages }: Change): readonly string[] {
  return stages.flat().flatMap(step => (step.do === 'remove-image' ? [step.digest] : []))
}

/** Returns the image of the version whose deploy failed, if that is what failed (P6). */
export function failedDeploy({ stages }: Change, { code, resource }: Failure): string | undefined {
  if (code !== 'job-failed') return undefined
  for (const step of stages.flat())
    if (isMaking(step) && nameOfMade(step) === resource && step.placement.role === 'deploy')
      return imageContent(step.spec.image.pin)
  return undefined
}
