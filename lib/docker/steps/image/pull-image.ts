import { addAbortSignal, type Readable } from 'node:stream'
import { Failure } from '../../../errors.ts'
import { parseReference, pinnedReference } from '../../../state/image/reference.ts'
import { secondsText } from '../../../text/time.ts'
import { later } from '../../../wait/timer.ts'
import type { Client } from '../../api/client.ts'
import { connectionFailure } from '../../api/connection-failure.ts'
import { eachJsonLine } from '../../api/json-lines.ts'
import { pullFailure } from '../../api/refusal.ts'
import { localImage } from '../../images.ts'

type Progress = { readonly error?: string; readonly errorDetail?: { readonly message?: string } }

/** The time until the engine says anything. */
const beginMs = 5 * 60_000
/** The time between two lines of progress. */
const idleMs = 2 * 60_000
/** The time for the whole pull. */
const wholeMs = 60 * 60_000

/**
 * Makes an image present on the engine by its digest. If it is present, no registry is asked (G21). Fails with
 * `image-not-found`, `registry-denied`, `registry-rate-limited`, `registry-unreachable`, `disk-full` or `pull-failed`.
 */
export async function pullImage(
  client: Client,
  step: { readonly reference: string; readonly digest: string },
  signal: AbortSignal,
): Promise<void> {
  const image = pinnedReference(step.reference, step.digest)
  if ((await localImage(client, image, signal)) !== undefined) return
  const { host } = parseReference(step.reference)
  const login = await client.login(host)
  const answer = await client.call<Readable>(
    {
      method: 'POST',
      path: '/images/create',
      asksRegistry: true,
      query: { fromImage: image.slice(0, image.lastIndexOf('@')), tag: step.digest },
      stream: 'watched',
      limitMs: beginMs,
      ...(login === undefined ? {} : { login: { ...login, host } }),
    },
    signal,
  )
  if (!answer.ok) throw pullFailure(client.site, image, answer)
  await follow(client.site, image, answer.body, signal)
}

/** Reads the progress to its end, because a pull that fails half-way says so there. */
async function follow(site: string, image: string, stream: Readable, signal: AbortSignal): Promise<void> {
  const giveUp = (why: string) =>
    stream.destroy(new Failure('pull-failed', `${site}: ${image}: ${why}`, { resource: image }))
  const idle = later(idleMs, () => giveUp(`no progress for ${secondsText(idleMs)}`))
  const whole = later(wholeMs, () => giveUp(`did not finish within ${wholeMs / 60_000} min`))
  try {
    addAbortSignal(signal, stream)
    await eachJsonLine<Progress>(stream, ({ error, errorDetail }) => {
      idle.again()
      const message = errorDetail?.message ?? error
      if (message !== undefined) throw pullFailure(site, image, { status: 500, message })
    })
  } catch (error) {
    throw connectionFailure(site, error, signal)
  } finally {
    idle.cancel()
    whole.cancel()
  }
}
