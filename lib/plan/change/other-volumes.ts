import { volumeMark } from '../../state/application/volume.ts'
import type { Difference } from '../compare/diff.ts'
import { type Step, stepsOf } from '../step/step.ts'
import type { Repair } from './change.ts'

/**
 * Returns the volumes that steps make otherwise than they were made for what was applied. Where that is not known, they
 * are those that are more than a directory of the engine: nobody may have approved them so.
 */
export function otherVolumes(
  { volumesBefore = {} }: Pick<Difference, 'volumesBefore'>,
  prepare: readonly Step[],
): Pick<Repair, 'otherVolumes'> {
  const [first, ...more] = stepsOf(prepare, 'create-volume').flatMap(({ volume }) =>
    (volumesBefore[volume.name] ?? '') === volumeMark(volume) ? [] : [volume.name],
  )
  return first === undefined ? {} : { otherVolumes: [first, ...more] }
}

/** Returns the reason of a repair, and which volumes it makes otherwise. */
export function withOtherVolumes(reason: string, { otherVolumes }: Pick<Repair, 'otherVolumes'>): string {
  return otherVolumes === undefined
    ? reason
    : `${reason}; made otherwise than before: volume ${otherVolumes.join(', ')}`
}
