import type { DistributionAnswer, Engine, LocalImage } from '../../../engine.ts'
import { Failure } from '../../../errors.ts'
import type { AskedEngine } from '../../../registry/ask.ts'
import { parseReference } from '../../../state/image/reference.ts'
import { linkedAbort } from '../../../wait/linked-abort.ts'
import { isLoss, isOfSite, whyNoneAnswers } from '../../site/result/why-unreached.ts'
import type { RegistryRoutes } from '../registry-routes.ts'
import { firstToTell } from './first-to-tell.ts'

/** An engine that takes longer than this to say who it is has the next one asked too. */
const answersWithinMs = 100

/** One that takes longer than this to ask a registry has the next one ask it too. */
const asksWithinMs = 5_000

/** So many engines are asked about one image, however many do not tell. */
const mostAsked = 4

/**
 * Returns whom an environment asks about images: its engines as if they were one (X9, G17).
 * - What an engine has, and for which platform it is, the first one tells that answers. If it is lost meanwhile, the
 *   next one does. If it refuses to tell of one image, a few others are asked about that one (D15).
 * - A registry is asked through the engine that reached it last, and otherwise through that first one. Where an engine
 *   does not reach it or refuses to ask, others are asked: a few at each question, and further ones at the next. What the
 *   registry itself says, such as that it has no such image, is asked once.
 * - A single engine is asked as it is.
 *
 * Everything fails as `whyNoneAnswers` says if no engine answers.
 */
export function throughEngines(
  engines: readonly Engine[],
  routes: RegistryRoutes,
  signal: AbortSignal,
): AskedEngine {
  const [only, ...others] = engines
  if (only === undefined) throw new Failure('config-invalid', 'no site runs this environment')
  if (others.length === 0) return only
  const lost = new Map<Engine, Failure>()
  let answering: Promise<Engine> | undefined

  function first(): Promise<Engine> {
    answering ??= firstToTell(engines, answersWithinMs, async engine => {
      const failure = lost.get(engine)
      if (failure !== undefined) throw failure
      await engine.info(signal)
      return engine
    }).catch(error => {
      throw whyNoneAnswers(engines, error)
    })
    return answering
  }

  function lose(engine: Engine, failure: Failure): void {
    if (!lost.has(engine)) answering = undefined
    lost.set(engine, failure)
  }

  /** @param isGone whether the engine has to be passed over from now on */
  async function ofFirst<T>(
    question: (engine: Engine) => Promise<T>,
    isGone: (error: unknown) => error is Failure,
  ): Promise<T> {
    const engine = await first()
    try {
      return await question(engine)
    } catch (error) {
      if (!isGone(error)) throw error
      lose(engine, error)
      return ofFirst(question, isGone)
    }
  }

  /** Whether an image is there may be refused by one engine alone, on which it is damaged, for example. */
  async function hasImage(
    own: Engine,
    reference: string,
    given: AbortSignal,
  ): Promise<LocalImage | undefined> {
    try {
      return await own.localImage(reference, given)
    } catch (error) {
      if (!isRefused(error)) throw error
      const others = leftBeside(own).slice(0, mostAsked - 1)
      using over = linkedAbort(given)
      const told = await firstToTell(others, answersWithinMs, async engine => ({
        image: await engine.localImage(reference, over.signal),
      })).catch(() => undefined)
      over.abort()
      given.throwIfAborted()
      if (told === undefined) throw error
      return told.image
    }
  }

  /** Ends, because each time around one more engine is lost. */
  async function distribution(reference: string, given: AbortSignal): Promise<DistributionAnswer> {
    const { host } = parseReference(reference)
    const own = await first()
    const turn = routes.rotation.now(host)
    const { usual, inTurn } = askedFor(host, own, turn)
    const asked = [...usual, ...inTurn]
    try {
      const { site, answer } = await firstToReach(asked, reference, given)
      routes.setReachedThrough(host, site)
      return answer
    } catch (error) {
      const isUnreachable = error instanceof AggregateError
      if (isUnreachable || given.aborted) routes.rotation.goOn(host, turn, inTurn.length)
      if (!isUnreachable) throw error
      const failures = asked.map((engine, index) => [engine, error.errors[index]] as const)
      for (const [engine, failure] of failures) if (isLost(failure)) lose(engine, failure)
      const silences = failures.filter(([engine]) => !lost.has(engine))
      const [, silence] = silences.find(([engine]) => engine === own) ?? silences[0] ?? []
      if (silence !== undefined) throw ofAll(silence)
      return distribution(reference, given)
    }
  }

  function leftBeside(own: Engine): readonly Engine[] {
    return engines.filter(engine => engine !== own && !lost.has(engine))
  }

  /** Returns those that are asked each time, and those whose turn it is. */
  function askedFor(host: string, own: Engine, turn: number) {
    const reached = routes.reachedThrough(host)
    const left = leftBeside(own)
    const usual = [...left.filter(({ site }) => site === reached), own]
    const others = left.filter(({ site }) => site !== reached)
    const begin = turn % Math.max(1, others.length)
    const inTurn = [...others.slice(begin), ...others.slice(0, begin)]
    return { usual, inTurn: inTurn.slice(0, mostAsked - usual.length) }
  }

  return {
    info: given => ofFirst(engine => engine.info(given), isUnfit),
    localImage: (reference, given) => ofFirst(engine => hasImage(engine, reference, given), isLost),
    distribution,
  }
}

/** What a registry says, and through which site. */
type Reached = { readonly site: string; readonly answer: DistributionAnswer }

/** Fails as the registry does, or as `firstToTell` if none reaches it. */
async function firstToReach(
  asked: readonly Engine[],
  reference: string,
  signal: AbortSignal,
): Promise<Reached> {
  using over = linkedAbort(signal)
  try {
    const told = await firstToTell(asked, asksWithinMs, async engine => {
      try {
        const answer = await engine.distribution(reference, over.signal)
        return { site: engine.site, answer }
      } catch (error) {
        if (isLost(error) || isUnreached(error) || isRefused(error)) throw error
        return { refusal: error }
      }
    })
    if ('refusal' in told) throw told.refusal
    return told
  } finally {
    over.abort()
  }
}

/** Whether an engine could not ask a registry. A proxy and a registry that is down say the same as a server error. */
function isUnreached(error: unknown): boolean {
  return error instanceof Failure && error.code === 'registry-unreachable'
}

/** Whether an engine refuses a question. Asked about one image, that may be because of the image alone (D15). */
function isRefused(error: unknown): boolean {
  return isUnfit(error) && !isLost(error)
}

/** Whether an engine answers nobody, whatever it is asked. */
function isLost(error: unknown): error is Failure {
  return error instanceof Failure && isLoss(error.code)
}

/** Whether an engine fails by itself where it is asked about itself. */
function isUnfit(error: unknown): error is Failure {
  return error instanceof Failure && isOfSite(error.code)
}

/** The words stay the same whoever else was asked and why they failed, so that nothing is taken for news. */
function ofAll(silence: Failure): Failure {
  const { code, message, hint, resource } = silence
  return new Failure(code, `${message}; no other site that was asked reached the registry`, {
    hint,
    cause: silence,
    ...(resource === undefined ? {} : { resource }),
  })
}
