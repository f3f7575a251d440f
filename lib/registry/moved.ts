import pLimit from 'p-limit'
import { type Problem, toFailure } from '../errors.ts'
import type { Image } from '../state/application/container/container.ts'
import { applicationsAnywhere, type DesiredState } from '../state/application/desired.ts'
import { imagesOf } from '../state/image/images.ts'
import { parseReference } from '../state/image/reference.ts'
import { createPauses } from './api/pause.ts'
import { askRegistries } from './ask.ts'
import { findForPlatform } from './for-platform.ts'
import type { PinContext } from './pin.ts'
import { pinned } from './resolution.ts'

/**
 * Returns warnings about tags that mean another digest by now than when their commit was resolved. The new digest is
 * only reported and never used: a commit decides what runs (X9, G9). If a registry does not answer, there is no
 * warning.
 */
export async function movedTags(
  desired: DesiredState,
  { engine, login, pauses = createPauses() }: PinContext,
  signal: AbortSignal,
): Promise<readonly Problem[]> {
  const registries = askRegistries(engine, login, pauses)
  const tags = imagesOf(applicationsAnywhere(desired)).filter(
    ({ expectedDigest }) => expectedDigest === undefined,
  )
  const found = await pLimit(4).map(
    tags,
    async ({ reference, platform, pin }: Image): Promise<readonly Problem[]> => {
      if (pin.state !== 'pinned' || signal.aborted) return []
      try {
        const tag = parseReference(reference)
        const now =
          platform === undefined
            ? pinned((await registries.resolve(tag, signal)).digest)
            : await findForPlatform({ reference: tag, platform }, registries, signal)
        if (now.kind === 'refused' || now.pin.state !== 'pinned') return []
        const { digest } = now.pin
        const message = `${reference} means ${digest} by now; ${pin.digest} runs on until a commit changes it`
        return digest === pin.digest ? [] : [{ code: 'tag-moved', message }]
      } catch (error) {
        if (toFailure(error).code === 'internal') throw error
        return []
      }
    },
  )
  return found.flat()
}
