import type { Engine } from '../../../engine.ts'
import { Failure } from '../../../errors.ts'
import { sleep } from '../../../timer.ts'
import { whyNoneAnswers } from '../../site/result/unreached.ts'

/** An engine that takes longer than this has the next one asked too. */
const patienceMs = 100

/**
 * Returns an engine that answers, through which images are resolved. Asks one after the other until the first answers,
 * so that most engines are not asked at all, and a silent one holds up nobody (G17). A single site is returned without
 * asking it. If none answers, whatever is asked through the one that is returned fails as `whyNoneAnswers` says: images
 * that were resolved before are known without it.
 */
export async function reachableEngine(engines: readonly Engine[], signal: AbortSignal): Promise<Engine> {
  const [first, ...others] = engines
  if (first === undefined) throw new Failure('config-invalid', 'no site runs this environment')
  if (others.length === 0) return first
  const asked: Promise<Engine>[] = []
  for (const engine of engines) {
    asked.push(answering(engine, signal))
    const answered = await firstOf(asked)
    if (answered !== undefined) return answered
  }
  return Promise.any(asked).catch(async () => unanswering(first, await whyNoneAnswers(engines, asked)))
}

function unanswering(engine: Engine, why: Failure): Engine {
  const fail = () => Promise.reject(why)
  return { ...engine, info: fail, localImage: fail, distribution: fail }
}

async function answering(engine: Engine, signal: AbortSignal): Promise<Engine> {
  await engine.info(signal)
  return engine
}

/** Returns the first that answers; undefined if all of them fail, or none does so soon. */
async function firstOf(asked: readonly Promise<Engine>[]): Promise<Engine | undefined> {
  const enough = new AbortController()
  const late = sleep(patienceMs, enough.signal).catch(() => undefined)
  const answered = await Promise.race([Promise.any(asked).catch(() => undefined), late])
  enough.abort()
  return answered ?? undefined
}
