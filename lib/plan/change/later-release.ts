import type { Difference } from '../compare/diff.ts'
import { allFields, distinctFields } from '../compare/field/fields.ts'
import { choose } from '../rollout/choose.ts'
import { jobsOf } from './change-for.ts'
import { specificationOf } from './made-instances.ts'
import { type ShownInput, shownOf } from './shown.ts'
import type { LaterRelease } from './walk.ts'

/**
 * Returns what a later version brings to a service: what differs from what runs now, everything of what is compared with
 * nothing, and what runs once. It is approved with the first step, so a person sees it before (G7, X18).
 */
export function broughtLater(
  difference: Difference,
  input: ShownInput,
): Pick<LaterRelease, 'fields' | 'jobs' | 'how'> {
  const { service, missing, isRollout, areJobsDone } = difference
  const { fields, whole = [] } = shownOf(difference, input)
  const made = new Map(missing.map(wanted => [wanted.fingerprint, wanted]))
  const all = whole.flatMap(fingerprint => {
    const wanted = made.get(fingerprint)
    return wanted === undefined ? [] : allFields(service, specificationOf(wanted.containers))
  })
  const { strategy, strategyReason, downtime } = choose(difference).rollout
  return {
    ...(strategy === 'none' ? {} : { how: { strategy, strategyReason, downtime } }),
    fields: distinctFields([...fields, ...all]),
    jobs: isRollout && !areJobsDone ? jobsOf(difference) : [],
  }
}
