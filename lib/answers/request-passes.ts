import type { EnvironmentRequest } from './request.gen.ts'
import { addressedAmong } from './subject/addressed.ts'
import { type LeftOut, withLeft } from './subject/asked.ts'
import type { Speaker } from './subject/speaker.ts'
import type { Audience } from './subject/subject.ts'

/** How many environments get passes, and the sites on which another process writes. */
export type PassesRequested = { readonly requested: number; readonly left?: readonly LeftOut[] }

/**
 * Asks for passes over all environments, or over the one that is named (G18). It decides nothing, so what came of it is
 * recorded with the passes alone.
 */
export async function requestPasses(
  audience: Audience,
  speaker: Speaker,
  given: EnvironmentRequest,
): Promise<PassesRequested> {
  const { subjects, left } = await addressedAmong(audience, speaker, 'reconcile', given)
  for (const subject of subjects) subject.request()
  return { requested: subjects.length, ...withLeft(left) }
}
