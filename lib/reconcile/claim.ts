import { Failure } from '../errors.ts'
import type { World } from './world.ts'

/** One writer per environment and engine: whether it is this process. Who comes second only observes. */
export async function claim(
  { writer, engines, memory }: World,
  environment: string,
  signal: AbortSignal,
): Promise<boolean> {
  if (memory.claimed) return true
  const answers = await Promise.allSettled(engines.map(engine => engine.info(signal)))
  const ids = answers.flatMap(answer => (answer.status === 'fulfilled' ? [answer.value.id] : []))
  const mine = await writer.claim(environment, ids)
  memory.claimed = mine && ids.length === engines.length
  return mine
}

export function rivalFailure(environment: string): Failure {
  return new Failure('another-writer', `another tallyman runs ${environment} here; this one only observes`)
}
