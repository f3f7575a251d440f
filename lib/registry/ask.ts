import type { DistributionAnswer, Engine, RegistryLogin } from '../engine.ts'
import { Failure } from '../errors.ts'
import { linkedAbort } from '../linked-abort.ts'
import type { ImageDeclaration } from '../state/image/declaration.ts'
import { formatReference, type Reference } from '../state/image/reference.ts'
import { secondsText } from '../text/time.ts'
import { timeout as abortAfter } from '../timer.ts'
import { type Pauses, RateLimited } from './api/pause.ts'
import type { PlatformManifest } from './api/platforms.ts'

/** Who is asked about images: an engine, or several of which one tells. */
export type AskedEngine = Pick<Engine, 'info' | 'localImage' | 'distribution'>

/**
 * Questions to registries. Every call fails with `registry-…` or `image-not-found`, or with the engine's own failure.
 */
export type Registries = {
  /** Returns the digest that a tag, or a digest by itself, leads to. */
  resolve(reference: Reference, signal: AbortSignal): Promise<DistributionAnswer>
  /** Returns the platform manifests in an index, or the image itself. */
  manifests(reference: Reference, digest: string, signal: AbortSignal): Promise<readonly PlatformManifest[]>
  /** Returns what an image says of how it runs, for a platform if it has that. */
  declaration(
    reference: Reference,
    digest: string,
    platform: string,
    signal: AbortSignal,
  ): Promise<ImageDeclaration | undefined>
}

/**
 * Asks registries during one pass: for tags through the engine, for indexes at the registry itself. A registry that
 * limits requests is not asked again before the time that it named. A registry that did not answer three times in a row
 * is not asked again in this pass (G21).
 */
export function askRegistries(
  engine: AskedEngine,
  login: (host: string) => Promise<RegistryLogin | undefined>,
  pauses: Pauses,
): Registries {
  const unanswered = new Map<string, readonly Failure[]>()

  async function ask<T>(reference: Reference, signal: AbortSignal, question: () => Promise<T>): Promise<T> {
    const { host } = reference
    const reason = pauses.current(host) ?? givenUp(unanswered.get(host) ?? [])
    if (reason !== undefined) throw reason
    try {
      const answer = await question()
      unanswered.delete(host)
      return answer
    } catch (error) {
      const failure = await withRetryAfter(error, reference, signal)
      if (isSilence(failure)) unanswered.set(host, [...(unanswered.get(host) ?? []), failure])
      if (failure instanceof RateLimited) pauses.begin(host, failure)
      throw failure
    }
  }

  /** The engine does not pass on a registry's `Retry-After`, so one request to the registry itself asks for it. */
  async function withRetryAfter(error: unknown, reference: Reference, signal: AbortSignal): Promise<unknown> {
    if (!(error instanceof Failure) || error.code !== 'registry-rate-limited') return error
    if (error instanceof RateLimited) return error
    const { retryAfter } = await import('./api/manifests.ts')
    const limited = await retryAfter(reference, await login(reference.host), signal)
    return limited ?? error
  }

  return {
    resolve: (reference, signal) => ask(reference, signal, () => throughEngine(engine, reference, signal)),
    manifests: (reference, digest, signal) =>
      ask(reference, signal, async () => {
        const { platformManifests } = await import('./api/manifests.ts')
        return platformManifests(reference, digest, await login(reference.host), signal)
      }),
    declaration: (reference, digest, platform, signal) =>
      ask(reference, signal, async () => {
        const { imageDeclaration } = await import('./api/manifests.ts')
        return imageDeclaration(reference, digest, platform, await login(reference.host), signal)
      }),
  }
}

/** An engine waits long for a registry that does not answer at all. This is no fault of the engine. */
const answerLimitMs = 45_000

async function throughEngine(
  engine: AskedEngine,
  reference: Reference,
  signal: AbortSignal,
): Promise<DistributionAnswer> {
  const image = formatReference(reference)
  const limit = abortAfter(answerLimitMs)
  using either = linkedAbort(signal, limit)
  try {
    return await engine.distribution(image, either.signal)
  } catch (cause) {
    if (signal.aborted || !limit.aborted) throw cause
    const message = `${image}: no answer from the registry within ${secondsText(answerLimitMs)}`
    throw new Failure('registry-unreachable', message, { cause })
  }
}

/** Returns the reason not to ask again: the registry limits requests, or did not answer for the third time. */
function givenUp(failures: readonly Failure[]): Failure | undefined {
  return failures.find(({ code }) => code === 'registry-rate-limited') ?? failures[2]
}

function isSilence(error: unknown): error is Failure {
  return (
    error instanceof Failure &&
    (error.code === 'registry-unreachable' || error.code === 'registry-rate-limited')
  )
}
