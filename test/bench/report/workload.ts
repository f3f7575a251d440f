import type { Files } from '../../support/git/repository.ts'
import type { PushedImage } from '../../support/images/images.ts'

/** What is to run: one service per entry, with the image that its containers are to run. */
export type Workload = readonly PushedImage[]

/** What each service of a workload is like. */
export type Shape = {
  readonly replicas: number
  /** Containers of each instance that live in its sandbox; with none it is one container without a sandbox. */
  readonly members: number
  /** On a network over which nothing is reached outside, as services with a specification are. */
  readonly internal: boolean
  /** A `pre` hook that does nothing. */
  readonly hook?: boolean
}

/** One container, as a manifest's own services are. */
export const alone: Shape = { replicas: 1, members: 0, internal: false }

/** `count` services, all of one image. */
export function all(image: PushedImage, count: number): Workload {
  return Array.from({ length: count }, () => image)
}

/** The same with the first service on another image. */
export function first(image: PushedImage, workload: Workload): Workload {
  return [image, ...workload.slice(1)]
}

/** `s01`, `s02`, … */
export function serviceName(index: number): string {
  return `s${String(index + 1).padStart(2, '0')}`
}

/** The workload as an environment's manifest; applied without asking. */
export function manifestOf(workload: Workload): string {
  return JSON.stringify({
    skipConfirmation: true,
    services: workload.map((image, index) => ({
      name: serviceName(index),
      containers: [{ ...partsOf(image), dockerDigest: image.digest }],
    })),
  })
}

/** The workload as application specifications and a manifest that names them, in the environment's directory. */
export function specificationsOf(shape: Shape, workload: Workload): Files {
  const names = workload.map((_, index) => serviceName(index))
  const manifest = { skipConfirmation: true, services: names.map(name => ({ name })) }
  return {
    'manifest.json': JSON.stringify(manifest),
    ...Object.fromEntries(
      workload.map((image, index) => {
        const name = serviceName(index)
        const application = {
          name,
          network: { 'shared-application-network': 'all' },
          services: [specified(name, image, shape)],
        }
        return [`applications/${name}.yaml`, JSON.stringify(application)]
      }),
    ),
  }
}

/** The workload as pod manifests of `members` apps, and a manifest that pins their images, in the environment's directory. */
export function podsOf({ members }: Shape, workload: Workload): Files {
  const apps = Array.from({ length: members }, (_, index) => ({
    name: `c${index + 1}`,
    image: { name: 'bench', labels: [{ name: 'version', value: '1' }] },
  }))
  const pod = JSON.stringify({ acVersion: '0.8.11', acKind: 'PodManifest', apps })
  return {
    'manifest.json': manifestOf(workload),
    ...Object.fromEntries(workload.map((_, index) => [`applications/${serviceName(index)}.json`, pod])),
  }
}

/** The network that all services with specifications are on: the engine has addresses for about thirty. */
export function networkOf(environment: string): string {
  return `${environment}.all.shared`
}

function specified(name: string, image: PushedImage, { replicas, members, hook = false }: Shape): object {
  const containers = Array.from({ length: Math.max(1, members) }, (_, index) => ({
    name: `c${index + 1}`,
    image: `${image.reference}@${image.digest}`,
  }))
  const pre = { execNewPod: { containerName: 'c1', command: ['true'] } }
  return {
    name,
    replicas,
    containers,
    strategy: { type: 'RollingUpdate', rollingUpdate: hook ? { pre } : {} },
  }
}

/** The workload as a compose file, with the same images, network and restart policy. */
export function composeFileOf(workload: Workload): string {
  return JSON.stringify({
    services: Object.fromEntries(
      workload.map((image, index) => [
        serviceName(index),
        { image: `${image.reference}@${image.digest}`, restart: 'unless-stopped' },
      ]),
    ),
  })
}

function partsOf({ reference }: PushedImage): { readonly dockerName: string; readonly dockerTag: string } {
  const colon = reference.lastIndexOf(':')
  return { dockerName: reference.slice(0, colon), dockerTag: reference.slice(colon + 1) }
}
