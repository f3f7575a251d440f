import { posix } from 'node:path'
import type { Problem } from '../../errors.ts'
import { optional } from '../../object.ts'
import type { Application, Instance } from '../../state/application/application.ts'
import { hostPort, nameOn } from '../../state/application/claim.ts'
import type { Container, Image } from '../../state/application/container.ts'
import { openNetwork } from '../../state/application/network.ts'
import type { Pod } from '../../state/application/pod.ts'
import type { ServiceEntry } from '../../state/application/service-entry.ts'
import type { ImageDeclaration } from '../../state/image/declaration.ts'
import { documentNameOf } from '../../state/repository/layout.ts'
import { isWithin } from '../../text/within.ts'
import type { Built } from '../build/build.ts'
import type { BuildContext } from '../build/context.ts'
import { noSize, type Size } from '../build/excess.ts'
import { inFileOrder } from '../build/in-file-order.ts'
import { claimPlaceIn, type Noted } from '../claims/claims.ts'
import { faultContested } from '../claims/contested.ts'
import { isMark } from '../claims/reserved-names.ts'
import { noImage } from '../image.ts'
import { fenceFor } from '../policy/fence.ts'
import { faultPublished } from '../policy/fenced.ts'
import { type Policy, portViolations, violations, withinAllowed } from '../policy/policy.ts'
import { present } from '../present.ts'
import { defaultStrategy } from '../read/strategy.ts'
import { join, sandboxImage, sandboxName } from '../sandbox.ts'
import { muted, rootOf, type Spot } from '../spot.ts'
import { faultAnnotations } from './annotations.ts'
import { appContainer } from './app.ts'
import { parseAcVersion } from './grammar/ac-version.ts'
import { imageNameOf, readPodImage } from './image.ts'
import { declaredSection } from './image-section.ts'
import { faultRequests, ignoredIn, sysctlsOf } from './isolators/bounds.ts'
import type { NamedIsolator } from './isolators/isolator.ts'
import { outcomesOf } from './isolators/outcomes.ts'
import { readIsolators } from './isolators/read.ts'
import { readPodMounts, readPodVolumes } from './mounts.ts'
import type { PodDocument } from './parse.ts'
import { pinsOfPod } from './pins.ts'
import { type PodPlace, podPlace } from './place.ts'
import type { PodApp, PodManifest } from './pod.gen.ts'
import { type ForwardedPort, readPodPorts } from './ports.ts'
import { reify } from './reify.ts'
import { readRestart } from './restart.ts'
import { type MeansToAsk, meansToAsk } from './told.ts'

/**
 * Builds an application with one service from a pod manifest: one instance, whose sandbox holds what its apps share
 * (C50). Finds all problems at once. Its name
 * is that of the file.
 */
export function buildPod(
  { file, document, value, without }: PodDocument,
  entry: ServiceEntry | undefined,
  context: BuildContext,
): Built {
  const name = documentNameOf(posix.basename(file))
  const noted: Problem[] = []
  const warnings: Problem[] = []
  const note = (problem: Problem, pointer: string) => {
    if (!without.some(one => isWithin(pointer, one) || isWithin(one, pointer))) noted.push(problem)
  }
  const root = rootOf(document, note, 'pod-invalid')
  const place = podPlace({
    invalid: root,
    // By itself a manifest is right if something may yet make it run: a pin, another engine (C4).
    unrunnable: entry === undefined ? muted(root) : rootOf(document, note, 'pod-unrunnable'),
    changed:
      context.strict === true
        ? rootOf(document, note, 'pod-strict')
        : rootOf(document, problem => warnings.push(problem), 'pod-changed'),
  })
  root.at('acVersion').take(parseAcVersion(value.acVersion))
  faultAnnotations(value.annotations ?? [], root.at('annotations'))
  faultAppNames(value, root.at('apps'))
  if (context.metadata === undefined)
    place.changed.fault(
      'has no AC_METADATA_URL: tallyman.yaml does not say "metadata: {image: …}", which names the image of tallyman',
    )
  const pins = pinsOfPod(
    value.apps.map(imageNameOf),
    file,
    entry ?? { name, position: document.position('') },
    context.registry,
  )
  const isolators = readAllIsolators(value, place)
  const ending = readRestart(value, root)
  const volumes = readPodVolumes(value.volumes ?? [], root.at('volumes'))
  const apps = value.apps.map((app, index) => {
    const at = place.at('apps', index)
    const pinned = pins.images.get(imageNameOf(app))
    const image = readPodImage(app, { pinned, registry: context.registry }, at.at('image')) ?? noImage
    const own = isolators.apps[index] ?? []
    const declared = declarationFor(app, image, context, at)
    const section = declared && declaredSection(declared)
    const mounts = readPodMounts(app, { volumes, ...optional('declared', section?.mountPoints) }, at)
    const container = appContainer(
      app,
      { image, mounts, podIsolators: isolators.pod, isolators: own, healthyMs: context.healthyMs, ending },
      at,
    )
    return {
      container: judged(container, context.policy, at.invalid),
      resolved: { written: app, image, mounts, ...optional('declared', declared) },
      isolated: { name: app.name, isolators: own },
    }
  })
  const containers = apps.map(({ container }) => container)
  const pod = reify(
    value,
    apps.map(({ resolved }) => resolved),
    outcomesOf(
      isolators.pod,
      apps.map(({ isolated }) => isolated),
    ),
  )
  const ports = readPodPorts(
    value,
    apps.map(({ resolved }) => resolved),
    place,
  )
  for (const { port, place } of ports)
    for (const { reason } of portViolations([port], context.policy)) place.fault(reason, 'policy-violation')
  faultPublished(name, ports, fenceFor(context.policy.applications, context.environmentName, name))
  const strategy = defaultStrategy(context.healthyMs)
  const instance = instanceOf(
    containers,
    {
      ...{ ports, isolators: isolators.pod, pod, context, timeoutMs: strategy.timeoutMs },
      told: meansToAsk(name, value, context),
    },
    root,
  )
  const network = openNetwork(context.environment).name
  const claims = claimsOf(name, network, ports, root)
  faultContested(claims)
  return {
    application: applicationOf(name, entry, {
      name,
      instances: instance === undefined ? [] : [instance],
      strategy,
    }),
    problems: inFileOrder([...noted, ...pins.problems]),
    warnings: inFileOrder(warnings),
    claims: claims.map(({ claim, service, place }) => ({
      claim,
      service,
      place: claimPlaceIn(document, place.pointer),
    })),
    size: sizeOf(containers, ports),
    requirementAt: () => document.position(''),
  }
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

function applicationOf(
  name: string,
  entry: ServiceEntry | undefined,
  service: Application['services'][number],
): Application {
  return { name, services: [service], requires: [], ...present({ version: entry?.version }) }
}

function faultAppNames({ apps }: PodManifest, spot: Spot): void {
  const seen = new Set<string>()
  apps.forEach(({ name }, index) => {
    const at = spot.at(index, 'name')
    if (seen.has(name)) at.fault(`is "${name}" a second time`)
    if (name === sandboxName) at.fault(`is "${name}", which names what the apps of a pod share`)
    if (isMark(name))
      at.fault(`is "${name}"; what tallyman adds to the names of containers looks like that`, 'name-reserved')
    seen.add(name)
  })
}

type Isolators = {
  readonly pod: readonly NamedIsolator[]
  readonly apps: readonly (readonly NamedIsolator[])[]
}

/** Reads the isolators of the pod and of its apps, and warns of those that nothing is done about (C40). */
function readAllIsolators({ isolators: written = [], apps }: PodManifest, place: PodPlace): Isolators {
  const { invalid: root, changed: warn, unrunnable } = place
  const read = (list: typeof written, of: 'pod' | 'app', ...keys: readonly (string | number)[]) => {
    const isolators = readIsolators(list, root.at(...keys), warn.at(...keys))
    for (const { index, why } of ignoredIn(isolators, of)) warn.at(...keys, index).fault(why)
    return isolators
  }
  const pod = read(written, 'pod', 'isolators')
  const own = apps.map(({ app }, index) =>
    read(app?.isolators ?? [], 'app', 'apps', index, 'app', 'isolators'),
  )
  faultRequests(pod, own, unrunnable.at('isolators'))
  return { pod, apps: own }
}

/** Notes a fault for each demand of an app beyond the policy (G23). */
function judged(container: Container, policy: Policy, spot: Spot): Container {
  for (const { key, reason } of violations(container, policy))
    spot.at(...(placesOfDemands[key] ?? [])).fault(reason, 'policy-violation')
  return withinAllowed(container, policy)
}

const placesOfDemands: Readonly<Record<string, readonly string[]>> = {
  cap_add: ['app', 'isolators'],
  security_opt: ['app', 'isolators'],
  oom_score_adj: ['app', 'isolators'],
  mounts: ['mounts'],
}

type Shared = {
  readonly ports: readonly ForwardedPort[]
  readonly isolators: readonly NamedIsolator[]
  readonly pod: Pod
  readonly context: BuildContext
  readonly timeoutMs: number
  /** Absent: there is no metadata service. */
  readonly told: MeansToAsk | undefined
}

function instanceOf(
  apps: readonly Container[],
  { ports, isolators, pod, context, timeoutMs, told }: Shared,
  root: Spot,
): Instance | undefined {
  const [first, ...others] = apps
  if (first === undefined) return undefined
  const sysctls = sysctlsOf(isolators)
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

function sizeOf(apps: readonly Container[], ports: readonly ForwardedPort[]): Size {
  return {
    ...noSize,
    containers: apps.length + 1,
    ports: ports.length,
    characters: JSON.stringify(apps).length,
  }
}
