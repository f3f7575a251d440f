import type { PushedImage } from '../support/images.ts'

/** What is to run: one service of one container per entry, each with the image it is to run. */
export type Workload = readonly PushedImage[]

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
