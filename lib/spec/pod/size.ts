import { largestOf, sumOf } from '../../numbers.ts'
import { hooksOf } from '../build/excess.ts'
import { type Advice, type CountedPart, jsonLengthOf, type Size, sizeWithin } from '../build/size.ts'
import type { Spot } from '../spot.ts'
import type { Orders } from './orders.ts'
import type { PodApp, PodManifest } from './pod.gen.ts'

/** The instances of a pod, and of how many different images. */
export type Counted = { readonly instances: number; readonly kinds: number }

/**
 * Counts what a pod becomes once it is expanded, before it is expanded (G24): instances, ranges of ports, hooks and
 * mounts of a volume. Undefined if that is too much; a fault is noted then.
 */
export function sizeOfPod(
  manifest: PodManifest,
  { strategy }: Orders,
  { instances, kinds }: Counted,
  taken: Size,
  spot: Spot,
): Size | undefined {
  const { apps } = manifest
  const hooks = hooksOf(strategy?.value)
  const sizes = apps.map(app => jsonLengthOf(app) + lengthOfMounted(app, manifest))
  const largest = largestOf(sizes, size => size)
  const ofHooks = sumOf(hooks, hook => largest + jsonLengthOf(hook))
  const parts: readonly CountedPart[] = [
    { spot, instances, containers: (apps.length + 1) * instances + hooks.length },
    ...countedPorts(manifest).map((ports, index) => ({
      spot: spot.at('ports', index),
      ports: ports * kinds,
    })),
    ...sizes.map((size, index) => ({ spot: spot.at('apps', index), characters: size * kinds })),
    { spot, characters: ofHooks },
  ]
  return sizeWithin(parts, taken, advice)
}

const advice: Advice = {
  instances: 'instances; divide it into several applications',
  containers:
    'containers, where those of each instance and each hook count; run fewer instances, or divide the environment',
  ports: 'ports, where each port of a range counts; publish fewer',
  files: 'files; mount fewer of them',
  characters:
    'characters, where the source of a volume counts for each of its mounts, and each hook; mount long paths once',
}

/** Returns for each port of the pod how many it publishes. An image declares each of its ports by itself. */
function countedPorts({ apps, ports = [] }: PodManifest): readonly number[] {
  const known = new Map(
    apps.flatMap(({ app }) => (app?.ports ?? []).map(({ name, count = 1 }) => [name, count] as const)),
  )
  return ports.map(({ name, podPort }) => (podPort === undefined ? known.get(name) : podPort.count) ?? 1)
}

/** Each mount of a volume has the path of its directory. */
function lengthOfMounted({ app, mounts = [] }: PodApp, { volumes = [] }: PodManifest): number {
  const sources = new Map(volumes.map(({ name, source = '' }) => [name, source.length]))
  const names = [...mounts.map(({ volume }) => volume), ...(app?.mountPoints ?? []).map(({ name }) => name)]
  return sumOf(names, name => sources.get(name) ?? 0)
}
