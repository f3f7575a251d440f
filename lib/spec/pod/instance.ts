import { optional } from '../../object.ts'
import type { Instance } from '../../state/application/application.ts'
import type { Container, Image } from '../../state/application/container/container.ts'
import { openNetwork } from '../../state/application/network.ts'
import type { Pod } from '../../state/application/pod/pod.ts'
import type { ImageDeclaration } from '../../state/image/declaration.ts'
import type { ImageNotes } from '../../state/image/places.ts'
import type { BuildContext } from '../build/context.ts'
import type { Pinned } from '../build/pins.ts'
import { noImage } from '../image.ts'
import { type Policy, violations, withinAllowed } from '../policy/policy.ts'
import { present } from '../present.ts'
import { join, sandboxImage } from '../sandbox.ts'
import type { Spot } from '../spot.ts'
import { type AppEnding, appContainer } from './app/app.ts'
import { imageNameOf, placeOfImage, readPodImage } from './image/image.ts'
import { declaredSection } from './image/image-section.ts'
import { faultImageVolumes, leftToEngine } from './image/image-volumes.ts'
import { securityOf, sysctlsOf } from './isolators/container-limits.ts'
import type { PodIsolators } from './isolators/of-pod.ts'
import { outcomesOf } from './isolators/outcomes.ts'
import { mountInContainer, type PlacedVolume, type PodMount, readPodMounts } from './mounts.ts'
import type { PodPlace } from './place.ts'
import type { PodApp, PodManifest } from './pod.gen.ts'
import { type ForwardedPort, readPodPorts } from './ports.ts'
import { type ResolvedApp, reify } from './reify.ts'
import type { MeansToAsk } from './told.ts'

/** What all instances of a pod have in common. */
export type PodParts = {
  readonly isolators: PodIsolators
  readonly ending: AppEnding
  readonly volumes: ReadonlyMap<string, PlacedVolume>
  readonly healthyMs: number
  readonly timeoutMs: number
  /** Absent: there is no metadata service. */
  readonly told: MeansToAsk | undefined
  readonly notes: ImageNotes
  readonly context: BuildContext
}

/** An instance of a pod, and what was found out on the way. */
export type PodInstance = {
  /** Absent: it could not be built. */
  readonly instance?: Instance
  readonly containers: readonly Container[]
  readonly apps: readonly ResolvedApp[]
  readonly ports: readonly ForwardedPort[]
}

/**
 * Builds an instance of a pod: a container for each app, around a sandbox that holds what they share (C50).
 * @param pinned the images that the manifest of the environment pins for it, by their names in the pod
 */
export function podInstance(
  manifest: PodManifest,
  pinned: ReadonlyMap<string, Pinned>,
  parts: PodParts,
  place: PodPlace,
): PodInstance {
  const { isolators, volumes, healthyMs, ending, context } = parts
  const made = manifest.apps.map((app, index) => {
    const at = place.at('apps', index)
    const pin = pinned.get(imageNameOf(app))
    const ofManifest = { pinned: pin?.image, registry: context.registry }
    const image = readPodImage(app, ofManifest, at.at('image')) ?? noImage
    parts.notes.note(image, placeOfImage(app, pin, at.invalid.at('image')))
    const declared = declarationFor(app, image, context, at)
    const section = declared && declaredSection(declared)
    const mounts = readPodMounts(app, { volumes, ...optional('declared', section?.mountPoints) }, at)
    faultImageVolumes(app, leftToEngine(app, mounts, declared), at)
    const own = isolators.apps[index] ?? []
    const ofPod = place.unrunnable.at('isolators')
    const bounds = { podIsolators: isolators.pod, ofPod, isolators: own }
    const surroundings = { image, mounts, ...bounds, healthyMs, ending }
    return {
      container: judged(
        appContainer(app, surroundings, at),
        { mounts, options: securityOf({ pod: [], app: own }) },
        context.policy,
        { app: at.invalid, pod: place.invalid },
      ),
      resolved: { written: app, image, mounts, isolators: own, ...optional('declared', declared) },
      isolated: { name: app.name, isolators: own },
    }
  })
  const containers = made.map(({ container }) => container)
  const apps = made.map(({ resolved }) => resolved)
  const outcomes = outcomesOf(
    isolators.pod,
    made.map(({ isolated }) => isolated),
  )
  const ports = readPodPorts(manifest, apps, place)
  const pod = reify(manifest, apps, outcomes)
  const instance = joined(containers, { ports, pod, ...parts }, place.invalid)
  return { ...optional('instance', instance), containers, apps, ports }
}

/**
 * Returns what the image of an app says of itself; undefined if that is not known. Then an app without a section of its
 * own cannot run, if somebody was asked in vain (C5).
 */
function declarationFor(
  { app }: PodApp,
  image: Image,
  { declared }: BuildContext,
  { unrunnable }: PodPlace,
): ImageDeclaration | undefined {
  const said = declared?.(image)
  if (said !== 'unknown') return said
  if (app === undefined)
    unrunnable
      .at('image')
      .fault(
        'says itself how the app runs, and neither an engine nor its registry tell what that is',
        'registry-unreachable',
      )
  return undefined
}

/** What an app itself demands, apart from its pod. */
type Demands = { readonly mounts: readonly PodMount[]; readonly options: readonly string[] }

/** Notes a fault for each demand of an app beyond the policy, where it is written (G23). */
function judged(
  container: Container,
  { mounts, options }: Demands,
  policy: Policy,
  spots: { readonly app: Spot; readonly pod: Spot },
): Container {
  const { securityOpt = [], ...rest } = container
  const { name, image, restart, stopGraceMs } = container
  const alone = { name, image, restart, stopGraceMs }
  const note = (demands: Container, spot: Spot) => {
    for (const { reason, hint } of violations(demands, policy)) spot.fault(reason, 'policy-violation', hint)
  }
  const isOwn = (option: string) => options.includes(option)
  note({ ...rest, securityOpt: securityOpt.filter(isOwn), mounts: [] }, spots.app.at('app', 'isolators'))
  note({ ...alone, securityOpt: securityOpt.filter(option => !isOwn(option)) }, spots.pod.at('isolators'))
  for (const mount of mounts)
    note({ ...alone, mounts: mountInContainer(name, mount) }, mount.described.at('source'))
  return withinAllowed(container, policy)
}

type Shared = PodParts & { readonly ports: readonly ForwardedPort[]; readonly pod: Pod }

function joined(
  apps: readonly Container[],
  { ports, isolators, pod, context, timeoutMs, told }: Shared,
  root: Spot,
): Instance | undefined {
  const [first, ...others] = apps
  if (first === undefined) return undefined
  const sysctls = sysctlsOf(isolators.pod)
  const { name, image, restart, stopGraceMs } = first
  for (const { reason } of violations({ name, image, restart, stopGraceMs, sysctls }, context.policy))
    root.at('isolators').fault(reason, 'policy-violation')
  const holding = { ...first, ...present({ ports: ports.map(({ port }) => port), sysctls }) }
  const { sandbox, members } = join(
    { image: sandboxImage(context), init: [], members: [holding, ...others], watched: [], timeoutMs },
    root.at('apps'),
  )
  const [head, ...more] = members
  return head === undefined
    ? undefined
    : {
        sandbox: told === undefined ? sandbox : { ...sandbox, metadata: told.metadata },
        sharesProcesses: true,
        containers: [head, ...more],
        network: openNetwork(context.environment),
        ...(told === undefined ? {} : { attachments: [told.network] }),
        volumes: told === undefined ? [] : [told.volume],
        pod,
      }
}
