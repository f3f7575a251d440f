import { posix } from 'node:path'
import type { Problem } from '../../errors.ts'
import { sumOf } from '../../numbers.ts'
import type { Strategy } from '../../state/application/application.ts'
import { hostPort, nameOn } from '../../state/application/claim.ts'
import { openNetwork } from '../../state/application/network.ts'
import type { ServiceEntry } from '../../state/application/service-entry.ts'
import { imageNotes } from '../../state/image/places.ts'
import { documentNameOf } from '../../state/repository/layout.ts'
import { isWithin } from '../../text/in-directory.ts'
import type { Built } from '../build/build.ts'
import type { BuildContext } from '../build/context.ts'
import { inFileOrder } from '../build/in-file-order.ts'
import { noSize } from '../build/size.ts'
import { claimPlaceIn, type Noted } from '../claims/claims.ts'
import { faultContested } from '../claims/contested.ts'
import { isNone } from '../grammar/share.ts'
import { fenceFor } from '../policy/fence.ts'
import { faultPublished, fencedSecrets } from '../policy/fenced.ts'
import { portViolations } from '../policy/policy.ts'
import { present } from '../present.ts'
import { readRequirements } from '../read/requirements.ts'
import { defaultStrategy, readStrategy } from '../read/strategy.ts'
import { muted, rootOf, type Spot } from '../spot.ts'
import { faultAnnotations } from './annotations.ts'
import { faultAppNames } from './app/app-names.ts'
import { parseAcVersion } from './grammar/ac-version.ts'
import { podHooks } from './hooks.ts'
import { imageNameOf } from './image/image.ts'
import { pinsOfPod } from './image/pins.ts'
import { type PodParts, podInstance } from './instance.ts'
import { readPodIsolators } from './isolators/of-pod.ts'
import { readPodVolumes } from './mounts.ts'
import { readOrders } from './orders.ts'
import type { PodDocument } from './parse.ts'
import { podPlace } from './place.ts'
import type { ForwardedPort } from './ports.ts'
import { readRestart } from './restart.ts'
import { sizeOfPod } from './size.ts'
import { meansToAsk } from './told.ts'
import { faultTold } from './told-annotations.ts'

/**
 * Builds an application with one service from a pod manifest (C50). The manifest of the environment may name its images
 * several times: then it has as many instances (E25). Finds all problems at once. Its name is that of the file.
 */
export function buildPod(
  { file, document, value, without }: PodDocument,
  entry: ServiceEntry | undefined,
  context: BuildContext,
): Built {
  const name = documentNameOf(posix.basename(file))
  // Instances of different images have the same faults.
  const noted = new Map<string, Problem>()
  const warned = new Map<string, Problem>()
  const note = (problem: Problem, pointer: string) => {
    if (!without.some(one => isWithin(pointer, one) || isWithin(one, pointer)))
      noted.set(`${pointer} ${problem.message}`, problem)
  }
  const warn = (problem: Problem, pointer: string) => warned.set(`${pointer} ${problem.message}`, problem)
  const root = rootOf(document, note, 'pod-invalid')
  const place = podPlace({
    without,
    invalid: root,
    // By itself a manifest is right if something may yet make it run: a pin, another engine (C4).
    unrunnable: entry === undefined ? muted(root) : rootOf(document, note, 'pod-unrunnable'),
    changed:
      context.strict === true ? rootOf(document, note, 'pod-strict') : rootOf(document, warn, 'pod-changed'),
  })
  root.at('acVersion').take(parseAcVersion(value.acVersion))
  faultAnnotations(value.annotations ?? [], root.at('annotations'))
  faultAppNames(value, root.at('apps'))
  if (context.metadata === undefined)
    place.changed.fault(
      'gives its apps no AC_METADATA_URL: tallyman.yaml does not say "metadata: {image: …}", which names the image of tallyman',
    )
  const orders = readOrders(value, root)
  const strategy =
    orders.strategy === undefined
      ? defaultStrategy(context.healthyMs)
      : readStrategy(orders.strategy.value, context.healthyMs, orders.strategy.spot)
  const named = entry ?? { name, position: document.position('') }
  const pins = pinsOfPod(value.apps.map(imageNameOf), file, named, context.registry)
  const isolators = readPodIsolators(value, place)
  faultTold(value, isolators, root)
  const notes = imageNotes()
  const parts: PodParts = {
    isolators,
    ending: readRestart(value, root),
    volumes: readPodVolumes(value.volumes ?? [], root.at('volumes')),
    healthyMs: strategy.healthyMs,
    timeoutMs: strategy.timeoutMs,
    told: meansToAsk(name, value, context),
    notes,
    context,
  }
  const counted = {
    instances: sumOf(pins.instances, ({ count }) => count),
    kinds: pins.instances.length,
  }
  const size = sizeOfPod(value, orders, counted, context.taken ?? noSize, root)
  const made = (size === undefined ? [] : pins.instances).map(({ images, count }) => ({
    count,
    ...podInstance(value, images, parts, place),
  }))
  const instances = made.flatMap(({ instance, count }) =>
    instance === undefined ? [] : Array.from({ length: count }, () => instance),
  )
  const [first] = made
  const ports = first?.ports ?? []
  for (const { port, place } of ports)
    for (const { reason } of portViolations([port], context.policy)) place.fault(reason, 'policy-violation')
  const fence = fenceFor(context.policy.applications, context.environmentName, name)
  faultPublished(name, ports, fence)
  faultOnePort(ports, instances.length, strategy, orders.strategy?.spot ?? root)
  const secrets = fencedSecrets(context.secrets, name, fence)
  const jobs = first && podHooks(name, orders, first, { ...context, secrets })
  const network = openNetwork(context.environment).name
  const claims = claimsOf(name, network, ports, root)
  faultContested(claims)
  const { requires } = orders
  return {
    application: {
      name,
      services: [{ name, instances, strategy, ...present({ jobs }) }],
      requires: requires === undefined ? [] : readRequirements(requires.value, requires.spot),
      ...present({ version: entry?.version }),
    },
    problems: inFileOrder([...noted.values(), ...pins.problems]),
    warnings: inFileOrder([...warned.values()]),
    images: notes.places,
    claims: claims.map(({ claim, service, place }) => ({
      claim,
      service,
      place: claimPlaceIn(document, place.pointer),
    })),
    size: size ?? noSize,
    requirementAt: () => requires?.position ?? document.position(''),
  }
}

/** Only one instance can publish a port of the host, also for the moment in which one takes the place of another. */
function faultOnePort(
  ports: readonly ForwardedPort[],
  instances: number,
  strategy: Strategy,
  spot: Spot,
): void {
  const [first] = ports
  if (first === undefined) return
  if (instances > 1)
    first.place.fault(
      `are published, and the manifest names the images of the pod ${instances} times; only one instance can publish port ${first.port.published}`,
    )
  else if (strategy.type === 'rolling' && !isNone(strategy.maxSurge))
    spot.fault(
      `is RollingUpdate, but only one instance can publish host port ${first.port.published}; set maxSurge 0 or Recreate`,
    )
}

function claimsOf(
  service: string,
  network: string,
  ports: readonly ForwardedPort[],
  root: Spot,
): readonly Noted[] {
  const own = ports.flatMap(({ port, place }) => {
    const claim = hostPort(port)
    return claim === undefined ? [] : [{ claim, service, place }]
  })
  return [{ claim: nameOn(network, service), service, place: root }, ...own]
}
