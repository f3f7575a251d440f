import type { Change } from '../plan/change/change.ts'
import { stopsServing } from '../plan/step/traits.ts'

/**
 * Whether something that served was already stopped when a stage failed. Another attempt would stop it again. Pure.
 * @param at the number of that stage
 */
export function hasStopped(stages: Change['stages'], at: number): boolean {
  return stages.slice(0, at + 1).some((stage, number) =>
    stage.some(step => {
      const when = stopsServing(step)
      return when === 'at once' || (when === 'when done' && number < at)
    }),
  )
}
