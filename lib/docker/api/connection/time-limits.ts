import { Readable } from 'node:stream'
import { lateAnswer } from '../../../errors/late-answer.ts'
import { later } from '../../../wait/timer.ts'
import type { EngineAnswer, EngineRequest } from './dial.ts'

/** The longest time until an engine answers a call that says nothing else. */
export const usualLimitMs = 30_000

/** Breaks the stream of an answer when its time is over. */
export function limitedIn<T>(
  site: string,
  { stream }: EngineRequest,
  answer: EngineAnswer<T>,
): EngineAnswer<T> {
  if (!answer.ok || stream === undefined || stream === 'watched' || !(answer.body instanceof Readable))
    return answer
  const { wholeMs } = stream
  const { body } = answer
  const timer = later(wholeMs, () => body.destroy(lateAnswer(site, wholeMs)))
  // Who no longer reads it need not be told.
  body.once('close', timer.cancel).on('error', () => undefined)
  return answer
}
