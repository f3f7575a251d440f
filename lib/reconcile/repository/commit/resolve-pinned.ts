import { declarationsOf, imagesOfPods } from '../../../registry/declarations.ts'
import { type PinContext, pinImages } from '../../../registry/pin.ts'
import type { Declared } from '../../../spec/build/context.ts'
import { applicationsAnywhere, type DesiredState } from '../../../state/application/desired.ts'
import { imageKey } from '../../../state/image/images.ts'
import type { World } from '../../world.ts'
import { type Resolved, resolveCommit } from './resolve-commit.ts'
import type { Vouched } from './vouched.ts'

/** A commit with its images pinned. */
export type ResolvedPinned = {
  readonly read: Resolved
  readonly pinned: DesiredState
  /** It has pods, whose images may say more once their registry answers. */
  readonly hasPods: boolean
}

/**
 * Reads what a commit wants and pins its images. What an image of a pod says of itself decides how the pod runs (C5,
 * C30), and can only be asked for once its digest is known: so such a commit is read again with what they say. Each
 * image is asked for once; if nobody tells, that is known to be so. Fails as `resolveCommit` and `pinImages` do.
 */
export async function resolvePinned(
  world: World,
  commit: Vouched,
  context: () => Promise<PinContext>,
  signal: AbortSignal,
): Promise<ResolvedPinned> {
  const told = new Map<string, Declared>()
  for (;;) {
    const read = await resolveCommit(world, commit, signal, told)
    const pins = await context()
    const pinned = await pinImages(read.resolved, pins, signal)
    const images = imagesOfPods(applicationsAnywhere(pinned))
    const open = images.filter(image => !told.has(imageKey(image)))
    if (open.length === 0) return { read, pinned, hasPods: told.size > 0 }
    const found = await declarationsOf(open, pins, world.memory.declarations, signal)
    for (const image of open) told.set(imageKey(image), found.get(imageKey(image)) ?? 'unknown')
  }
}
