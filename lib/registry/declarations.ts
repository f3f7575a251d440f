import pLimit from 'p-limit'
import type { Application } from '../state/application/application.ts'
import type { Image } from '../state/application/container/container.ts'
import type { ImageDeclaration } from '../state/image/declaration.ts'
import { imageKey } from '../state/image/images.ts'
import { platformName } from '../state/image/platform.ts'
import { parseReference, pinnedReference } from '../state/image/reference.ts'
import { createPauses } from './api/pause.ts'
import { type AskedEngine, askRegistries, type Registries } from './ask.ts'
import type { PinContext } from './pin.ts'
import { failureOfImage } from './resolution.ts'

/** What was found out before, by the content of the image. */
export type KnownDeclarations = {
  find(content: string): ImageDeclaration | undefined
  remember(content: string, declaration: ImageDeclaration): void
}

/** What images say of how they run, by `imageKey`. What nobody told is not in it. */
export type Declarations = ReadonlyMap<string, ImageDeclaration>

/** Returns the images from which the apps of pods run: what they say of themselves counts there (C5, C56). */
export function imagesOfPods(applications: readonly Pick<Application, 'services'>[]): readonly Image[] {
  const images = applications
    .flatMap(({ services }) => services.flatMap(({ instances }) => [...new Set(instances)]))
    .flatMap(({ pod, containers }) => (pod === undefined ? [] : containers.map(({ image }) => image)))
  return [...new Map(images.map(image => [imageKey(image), image])).values()]
}

/**
 * Returns what pinned images say of themselves: as the engine has them, or else as their registry does. If neither
 * answers, nothing is known. Fails only if the engine itself does.
 */
export async function declarationsOf(
  images: readonly Image[],
  { engine, login, pauses = createPauses() }: Pick<PinContext, 'engine' | 'login' | 'pauses'>,
  known: KnownDeclarations,
  signal: AbortSignal,
): Promise<Declarations> {
  const registries = askRegistries(engine, login, pauses)
  const usual = images.every(image => known.find(contentKey(image)) !== undefined)
    ? ''
    : await platformOf(engine, signal)
  const found = await pLimit(sideBySide).map(
    images,
    async (image): Promise<[string, ImageDeclaration | undefined]> => {
      const key = contentKey(image)
      const declared =
        known.find(key) ?? (await declarationOfOne(image, { engine, registries, usual }, signal))
      if (declared !== undefined && key !== '') known.remember(key, declared)
      return [imageKey(image), declared]
    },
  )
  return new Map(found.flatMap(([key, declared]) => (declared === undefined ? [] : [[key, declared]])))
}

const sideBySide = 8

/** The content never changes under this key; empty if it is unknown. */
function contentKey({ pin, platform = '' }: Image): string {
  switch (pin.state) {
    case 'pinned':
      return `${pin.digest} ${platform}`
    case 'unverified':
      return pin.imageId
    case 'unknown':
      return ''
  }
}

async function declarationOfOne(
  { reference, pin, platform }: Image,
  { engine, registries, usual }: Asked,
  signal: AbortSignal,
): Promise<ImageDeclaration | undefined> {
  if (pin.state === 'unknown') return undefined
  const name = pin.state === 'pinned' ? pinnedReference(reference, pin.digest) : pin.imageId
  try {
    const local = await engine.localImage(name, signal)
    if (local?.declared !== undefined || pin.state === 'unverified') return local?.declared
    return await registries.declaration(parseReference(reference), pin.digest, platform ?? usual, signal)
  } catch (error) {
    failureOfImage(error)
    return undefined
  }
}

/** Who is asked, and for which platform where none is named. */
type Asked = { readonly engine: AskedEngine; readonly registries: Registries; readonly usual: string }

async function platformOf(engine: AskedEngine, signal: AbortSignal): Promise<string> {
  const { os, architecture } = await engine.info(signal)
  return platformName(os, architecture) ?? 'linux/amd64'
}
