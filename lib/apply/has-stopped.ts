import type { Change } from '../plan/change/change.ts'
import { traitsOf } from '../plan/step/traits.ts'

/**
 * Whether something that served was already stopped when a stage failed. Another attempt would stop it again. Pure.
 * @param at the number of that stage
 */
export function hasStopped(stages: Change['stages'], at: number): boolean {
  return stages.slice(0, at + 1).some((stage, number) =>
    stage.some(step => {
      const { stopsServing } = traitsOf(step)
      return stopsServing === 'at once' || (stopsServing === 'when done' && number < at)
    }),
  )
}
