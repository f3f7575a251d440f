import { familiarReference, parseReference, type Reference } from '../../../../lib/state/image/reference.ts'
import {
  digestOf,
  hostPlatform,
  type ImageHealthcheck,
  type ImageOptions,
  type PushedImage,
  staysUp,
} from '../../images/images.ts'
import type { Program } from '../container/process.ts'
import { missing, type Refusal } from '../server/refusal.ts'

/** What the containers of an image do. What is left out follows from the image's commands. */
export type Behaviour = {
  readonly runs?: Program
  /** Is run in place of the health check's command, if there is a health check. */
  readonly check?: Program
  /** Programs that the image has besides the usual ones, by their names. */
  readonly programs?: Readonly<Record<string, (args: readonly string[]) => Program>>
}

/** What is pushed: an image as tests describe those of the real registry, and what its containers do. */
export type SimulatedImageOptions = Omit<ImageOptions, 'layers'> & {
  readonly behaves?: Behaviour
  /** `linux/s390x`; the machine's own by default. */
  readonly platform?: string
}

/** An image as a registry has it, and the engine that pulled it. */
export type RegistryImage = {
  readonly id: string
  readonly digest: string
  readonly mediaType: string
  readonly platform: string
  readonly config: ImageConfig
  readonly files: Readonly<Record<string, string>>
  readonly links: Readonly<Record<string, string>>
  readonly owners: NonNullable<ImageOptions['owners']>
  readonly behaves: Behaviour
}

export type ImageConfig = {
  readonly Cmd: readonly string[] | null
  readonly Entrypoint: readonly string[] | null
  readonly Env: readonly string[]
  readonly Labels: Readonly<Record<string, string>> | null
  readonly User: string
  readonly WorkingDir: string
  readonly ExposedPorts?: Readonly<Record<string, object>>
  readonly Volumes: Readonly<Record<string, object>> | null
  readonly StopSignal?: string
  readonly Healthcheck?: HealthcheckConfig
}

/** Times in nanoseconds. */
export type HealthcheckConfig = {
  readonly Test?: readonly string[]
  readonly Interval?: number
  readonly Timeout?: number
  readonly StartPeriod?: number
  readonly Retries?: number
}

/** The images that simulated engines can pull, whatever their registries are called. Nothing is asked over HTTP. */
export type SimulatedRegistry = {
  /** The host in the references of what is pushed. */
  readonly host: string
  /** Same name, tag and options: same digest. A tag that is pushed again leads to the new image. */
  push(name: string, tag: string, options?: SimulatedImageOptions): PushedImage
  /** Returns what a reference means. Throws the registry's refusal. */
  find(reference: Reference): RegistryImage
  /** From now on the registry refuses everything like this; undefined: nothing. */
  refuses(refusal: Refusal | undefined): void
}

export function simulatedRegistry(host = 'registry.example.com'): SimulatedRegistry {
  const images = new Map<string, RegistryImage>()
  let refused: Refusal | undefined
  return {
    host,
    push(name, tag, options = {}) {
      const image = imageOf(`${name}:${tag}`, options)
      const reference = `${host}/${name}:${tag}`
      const pinned = `${host}/${name}@${image.digest}`
      // Docker Hub is not named in what an engine asks for.
      for (const text of [reference, pinned]) images.set(familiarReference(parseReference(text)), image)
      return { reference, digest: image.digest, pinned, id: image.id }
    },
    find(reference) {
      if (refused !== undefined) throw refused
      const { digest, tag = 'latest', ...name } = reference
      const image = images.get(
        familiarReference({ ...name, ...(digest === undefined ? { tag } : { digest }) }),
      )
      if (image === undefined) throw missing('manifest unknown: manifest unknown')
      return image
    },
    refuses(refusal) {
      refused = refusal
    },
  }
}

function imageOf(name: string, options: SimulatedImageOptions): RegistryImage {
  const { platform = hostPlatform, files = {}, links = {}, owners = {} } = options
  const { behaves = {}, format = 'docker' } = options
  const config = configOf(options)
  const id = digestOf(JSON.stringify([name, platform, config, files, links, owners]))
  const mediaTypes = {
    docker: 'application/vnd.docker.distribution.manifest.v2+json',
    oci: 'application/vnd.oci.image.manifest.v1+json',
  }
  const mediaType = mediaTypes[format]
  const digest = digestOf(`${mediaType} ${id}`)
  return { id, digest, mediaType, platform, config, files, links, owners, behaves }
}

function configOf(options: SimulatedImageOptions): ImageConfig {
  const { cmd, entrypoint, labels, user = '', workingDir = '', stopSignal, healthcheck } = options
  const { exposedPorts, volumes } = options
  return {
    Cmd: cmd ?? (entrypoint === undefined ? staysUp : null),
    Entrypoint: entrypoint ?? null,
    Env: Object.entries({ PATH: '/bin', ...options.env }).map(([key, value]) => `${key}=${value}`),
    Labels: labels ?? null,
    User: user,
    WorkingDir: workingDir,
    ...(exposedPorts === undefined ? {} : { ExposedPorts: asSet(exposedPorts) }),
    Volumes: volumes === undefined ? null : asSet(volumes),
    ...(stopSignal === undefined ? {} : { StopSignal: stopSignal }),
    ...(healthcheck === undefined ? {} : { Healthcheck: healthcheckOf(healthcheck) }),
  }
}

function asSet(names: readonly string[]): Readonly<Record<string, object>> {
  return Object.fromEntries(names.map(name => [name, {}]))
}

function healthcheckOf(check: ImageHealthcheck): HealthcheckConfig {
  const { test, intervalMs, timeoutMs, startPeriodMs, retries } = check
  return {
    Test: test,
    ...(intervalMs === undefined ? {} : { Interval: intervalMs * 1e6 }),
    ...(timeoutMs === undefined ? {} : { Timeout: timeoutMs * 1e6 }),
    ...(startPeriodMs === undefined ? {} : { StartPeriod: startPeriodMs * 1e6 }),
    ...(retries === undefined ? {} : { Retries: retries }),
  }
}
