import type { DistributionAnswer, Engine, RegistryLogin } from '../engine.ts'
import type { ErrorCode } from '../errors/catalogue.ts'
import { Failure } from '../errors.ts'
import type { ImageDeclaration } from '../state/image/declaration.ts'
import { formatReference, type Reference } from '../state/image/reference.ts'
import { secondsText } from '../text/time.ts'
import { linkedAbort } from '../wait/linked-abort.ts'
import { timeout as abortAfter } from '../wait/timer.ts'
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
 * is not asked again in this pass (G21): through the engine, or by ourselves, who may not reach it though engines do.
 */
export function askRegistries(
  engine: AskedEngine,
  login: (host: string) => Promise<RegistryLogin | undefined>,
  pauses: Pauses,
): Registries {
  const unanswered = new Map<string, readonly Failure[]>()
  const limited = new Map<string, Failure>()

  async function ask<T>(
    by: 'the engine' | 'ourselves',
    reference: Reference,
    signal: AbortSignal,
    question: () => Promise<T>,
  ): Promise<T> {
    const { host } = reference
    const way = `${host} by ${by}`
    const reason = pauses.current(host) ?? limited.get(host) ?? unanswered.get(way)?.[2]
    if (reason !== undefined) throw reason
    try {
      const answer = await question()
      unanswered.delete(way)
      return answer
    } catch (error) {
      const failure = await withRetryAfter(error, reference, signal)
      if (isCoded(failure, 'registry-rate-limited')) limited.set(host, failure)
      if (isCoded(failure, 'registry-unreachable'))
        unanswered.set(way, [...(unanswered.get(way) ?? []), failure])
      if (failure instanceof RateLimited) pauses.begin(host, failure)
      throw failure
    }
  }

  /** The engine does not pass on a registry's `Retry-After`, so one request to the registry itself asks for it. */
  async function withRetryAfter(error: unknown, reference: Reference, signal: AbortSignal): Promise<unknown> {
    if (!isCoded(error, 'registry-rate-limited') || error instanceof RateLimited) return error
    const { retryAfter } = await import('./api/manifests.ts')
    const limited = await retryAfter(reference, await login(reference.host), signal)
    return limited ?? error
  }

  return {
    resolve: (reference, signal) =>
      ask('the engine', reference, signal, () => throughEngine(engine, reference, signal)),
    manifests: (reference, digest, signal) =>
      ask('ourselves', reference, signal, async () => {
        const { platformManifests } = await import('./api/manifests.ts')
        return platformManifests(reference, digest, await login(reference.host), signal)
      }),
    declaration: (reference, digest, platform, signal) =>
      ask('ourselves', reference, signal, async () => {
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

function isCoded(error: unknown, code: ErrorCode): error is Failure {
  return error instanceof Failure && error.code === code
}
