import pLimit from 'p-limit'
import type { RegistryLogin } from '../engine.ts'
import type { Problem } from '../errors.ts'
import { onceFor } from '../memo/once-for.ts'
import { optional } from '../object.ts'
import type { Application, Service } from '../state/application/application.ts'
import type { Container, Image } from '../state/application/container/container.ts'
import {
  applicationsAnywhere,
  type Blocked,
  changeEverywhere,
  type DesiredState,
} from '../state/application/desired.ts'
import { containersOf, mapContainers } from '../state/application/members.ts'
import { versionOf } from '../state/application/version-of.ts'
import { imageKey, imagesOf } from '../state/image/images.ts'
import type { ImagePlaces } from '../state/image/places.ts'
import type { ResolutionStore } from '../state/image/resolutions.ts'
import { createPauses, type Pauses } from './api/pause.ts'
import { type AskedEngine, askRegistries } from './ask.ts'
import type { Resolution } from './resolution.ts'
import { type ImageContext, resolveImage } from './resolve-image.ts'

export type PinContext = {
  /** Digests do not depend on who it is. */
  readonly engine: AskedEngine
  readonly resolutions: ResolutionStore
  readonly login: (host: string) => Promise<RegistryLogin | undefined>
  readonly commit: string
  /** Registries that asked for a pause. Absent: none did, and pauses are not remembered after this call. */
  readonly pauses?: Pauses
}

/**
 * Returns the desired state with every image pinned (D5, X9), and so its variants. Each distinct image is resolved once
 * for all of them, several at a time.
 * Applications with a refused image go to `blocked`. Those that require them stay, and the caller has to block them.
 * Fails only if the engine itself does, or if the signal aborts.
 */
export async function pinImages(
  desired: DesiredState,
  context: PinContext,
  signal: AbortSignal,
): Promise<DesiredState> {
  const resolutions = await resolveAll(imagesOf(applicationsAnywhere(desired)), context, signal)
  // Variants go on to share what is the same.
  const pinned = onceFor((application: Application) =>
    mapContainers(application, container => pinContainer(container, resolutions)),
  )
  const refusals = onceFor((application: Application) => refusalsOf(application, resolutions))
  return changeEverywhere(desired, state => {
    const blocked = state.applications.flatMap(application =>
      blockedBy(application, refusals(application), state.written?.get(application.name)),
    )
    const kept = state.applications.filter(application => refusals(application).length === 0)
    return {
      ...state,
      ...pinnedIngress(state, resolutions),
      applications: kept.map(pinned),
      blocked: [...state.blocked, ...blocked],
      warnings: [...state.warnings, ...warningsOf(imagesOf(kept), resolutions)],
    }
  })
}

/** On one engine, a larger number gains nothing. */
const sideBySide = 8

type Resolutions = ReadonlyMap<string, Resolution>

async function resolveAll(
  images: readonly Image[],
  { engine, resolutions, login, commit, pauses = createPauses() }: PinContext,
  signal: AbortSignal,
): Promise<Resolutions> {
  const context: ImageContext = {
    engine,
    resolutions,
    commit,
    registries: askRegistries(engine, login, pauses),
  }
  const resolved = await pLimit(sideBySide).map(images, async (image): Promise<[string, Resolution]> => {
    signal.throwIfAborted()
    return [imageKey(image), await resolveImage(image, context, signal)]
  })
  return new Map(resolved)
}

/** An image of a service that cannot run, by its `imageKey`. */
type Refusal = Pick<Extract<Resolution, { kind: 'refused' }>, 'problem' | 'unfit'> & {
  readonly key: string
  readonly service: Service
}

function refusalsOf({ services }: Application, resolutions: Resolutions): readonly Refusal[] {
  return services.flatMap(service => {
    const images = new Set(containersOf(service).map(({ image }) => imageKey(image)))
    return [...images].flatMap(key => {
      const resolution = resolutions.get(key)
      return resolution?.kind === 'refused' ? [{ ...resolution, key, service }] : []
    })
  })
}

/** Variants share applications, but each says itself where their images are written. */
function blockedBy(
  application: Application,
  refusals: readonly Refusal[],
  places: ImagePlaces | undefined,
): readonly Blocked[] {
  const { name } = application
  const [first, ...rest] = refusals.map(({ key, service, problem, unfit }): Problem => {
    const place = places?.get(key)
    const position = (unfit === undefined ? undefined : place?.[unfit]) ?? place?.image
    return {
      ...problem,
      message: `${name}/${service.name}: ${problem.message}`,
      ...optional('position', position),
    }
  })
  if (first === undefined) return []
  return [{ application: name, version: versionOf(application), problems: [first, ...rest] }]
}

function pinContainer(container: Container, resolutions: Resolutions): Container {
  return { ...container, image: pinImage(container.image, resolutions) }
}

function pinnedIngress({ ingress }: DesiredState, resolutions: Resolutions): Pick<DesiredState, 'ingress'> {
  return ingress === undefined ? {} : { ingress: { ...ingress, image: pinImage(ingress.image, resolutions) } }
}

function pinImage(image: Image, resolutions: Resolutions): Image {
  const resolution = resolutions.get(imageKey(image))
  return resolution?.kind === 'settled' ? { ...image, pin: resolution.pin } : image
}

function warningsOf(images: readonly Image[], resolutions: Resolutions): readonly Problem[] {
  return images.flatMap(image => {
    const resolution = resolutions.get(imageKey(image))
    return resolution?.kind === 'settled' && resolution.warning !== undefined ? [resolution.warning] : []
  })
}
