import { usualCapabilities } from '../../../state/application/container/capabilities.ts'
import type { Container } from '../../../state/application/container/container.ts'
import { programCalls } from '../../../state/application/container/system-calls/names.ts'
import { isPresent, present } from '../../present.ts'
import { leastMemory } from '../../read/limits.ts'
import type { Spot } from '../../spot.ts'
import { type Quantity, quantityText } from '../grammar/quantity.ts'
import type { Isolator, NamedIsolator } from './isolator.ts'
import { whyIgnored } from './outcomes.ts'
import { sharesOf } from './shares.ts'
import { knownSets } from './system-calls.ts'

/** What isolators set on the container of an app. */
export type AppBounds = Pick<
  Container,
  | 'memoryBytes'
  | 'memoryReservationBytes'
  | 'nanoCpus'
  | 'cpuShares'
  | 'oomScoreAdj'
  | 'capAdd'
  | 'capDrop'
  | 'securityOpt'
  | 'systemCalls'
>

/** The isolators of a pod and of one of its apps. */
type Both = { readonly pod: readonly NamedIsolator[]; readonly app: readonly NamedIsolator[] }

/** The bounds of CPUs, in thousandths. With less the engine makes a container that the kernel refuses to start. */
const leastCpu = 10n
const mostCpus = 1_000_000n
/** The largest numbers that the Engine API takes without loss. */
const mostExact = BigInt(Number.MAX_SAFE_INTEGER)

/**
 * Returns what the isolators set on the container of an app. Those of the pod bound those of the app (C40): the engine
 * has no limit for several containers together, so the pod's limit is the most of each app (C42).
 */
export function boundsOf({ pod, app }: Both, spots: Readonly<Record<keyof Both, Spot>>): AppBounds {
  const memory = within(resourceOf(app, 'memory'), resourceOf(pod, 'memory'))
  const cpu = within(resourceOf(app, 'cpu'), resourceOf(pod, 'cpu'))
  faultMemory(memory, spots)
  faultCpu(cpu, spots)
  const shares = lastOf(app, 'cpu-shares')
  return present({
    memoryBytes: numberOf(memory.limit?.whole),
    memoryReservationBytes: numberOf(memory.request?.whole),
    nanoCpus: numberOf(cpu.limit && cpu.limit.thousandths * 1_000_000n),
    cpuShares: shares?.value ?? (cpu.request && sharesOf(cpu.request).shares),
    // The engine gives 0 to every container.
    oomScoreAdj: lastOf(app, 'oom-score-adj')?.value || undefined,
    ...capabilitiesOf(app),
    securityOpt: securityOf({ pod, app }),
    systemCalls: systemCallsOf(app, spots.app),
  })
}

/** That a pod may use less than nothing is said once, and not of each of its apps (`faultRequests`). */
function isBelowNone({ limit, of }: Bounded): boolean {
  return of === 'pod' && limit !== undefined && limit.thousandths < 0n
}

function faultCpu(cpu: Bounded, spots: Readonly<Record<keyof Both, Spot>>): void {
  if (isBelowNone(cpu)) return
  const { limit, request, of } = cpu
  if (limit !== undefined && limit.thousandths < leastCpu)
    spots[of].fault(`may use ${limit.written} CPUs, ${tooLittle(limit, `${leastCpu}m`)}`)
  if (limit !== undefined && limit.thousandths > mostCpus)
    spots[of].fault(`may use ${limit.written} CPUs, and the engine takes at most 1000`)
  if (request !== undefined && request.thousandths < 0n)
    spots.app.fault(`requests ${request.written} CPUs, which is less than none`)
}

function tooLittle({ thousandths }: Quantity, least: string): string {
  return thousandths < 0n ? 'which is less than none' : `and ${least} is the least that the engine takes`
}

function faultMemory(memory: Bounded, spots: Readonly<Record<keyof Both, Spot>>): void {
  if (isBelowNone(memory)) return
  const { limit, request, of } = memory
  if (limit !== undefined && limit.whole < BigInt(leastMemory))
    spots[of].fault(`may use ${limit.written} of memory, ${tooLittle(limit, '6Mi')}`)
  if (limit !== undefined && limit.whole > mostExact)
    spots[of].fault('may use 8Pi of memory or more, which no engine takes')
  const isNothing = request?.whole === 0n
  if (request !== undefined && !isNothing && request.whole < BigInt(leastMemory))
    spots.app.fault(`requests ${request.written} of memory, ${tooLittle(request, '6Mi')}`)
  if (request !== undefined && limit === undefined && request.whole > mostExact)
    spots.app.fault('requests 8Pi of memory or more, which no engine takes')
}

/**
 * Notes a fault if the apps of a pod request more than the pod may use, or it may use less than nothing.
 * @param apps the isolators of each app
 */
export function faultRequests(
  pod: readonly NamedIsolator[],
  apps: readonly (readonly NamedIsolator[])[],
  spot: Spot,
): void {
  for (const kind of ['memory', 'cpu'] as const) {
    const { limit } = resourceOf(pod, kind)
    if (limit === undefined) continue
    const bound = `bound the pod to ${limit.written} ${units[kind]}`
    if (limit.thousandths < 0n) {
      spot.fault(`${bound}, which is less than none`)
      continue
    }
    const requested = apps.reduce((sum, app) => {
      const { request } = resourceOf(app, kind)
      return sum + (request?.thousandths ?? 0n)
    }, 0n)
    if (requested > limit.thousandths)
      spot.fault(`${bound}, and its apps request ${quantityText(requested)} together`)
  }
}

const units = { memory: 'of memory', cpu: 'CPUs' } as const

/** Returns the isolators that nothing is done about, with the reason. */
export function ignoredIn(
  isolators: readonly NamedIsolator[],
  of: 'pod' | 'app',
): readonly { readonly index: number; readonly name: string; readonly why: string }[] {
  return isolators.flatMap(({ name, index, isolator }) => {
    const why = whyIgnored(isolator, of)
    return why === undefined ? [] : [{ index, name, why: `${name} is ignored: ${why}` }]
  })
}

/** Returns the kernel parameters of a pod. */
export function sysctlsOf(pod: readonly NamedIsolator[]): Readonly<Record<string, string>> {
  return Object.assign({}, ...allOf(pod, 'sysctl').map(({ values }) => values))
}

type Resource = { readonly limit?: Quantity | undefined; readonly request?: Quantity | undefined }

/** Of several limits of one kind, the lowest one counts; of several requests, the highest one. */
function resourceOf(isolators: readonly NamedIsolator[], kind: 'memory' | 'cpu'): Resource {
  const all = allOf(isolators, kind)
  const limit = lowest(all.map(one => one.limit))
  return { limit, request: highest(all.map(one => one.request)) }
}

/** What an app may use, and whether it says itself how much, or its pod does. */
type Bounded = Resource & { readonly of: keyof Both }

/** Bounds what an app asks for by what its pod may use. */
function within(app: Resource, pod: Resource): Bounded {
  const limit = lowest([app.limit, pod.limit])
  const of = limit === app.limit ? 'app' : 'pod'
  return { limit, request: lowest([app.request, app.request && limit]), of }
}

function lowest(quantities: readonly (Quantity | undefined)[]): Quantity | undefined {
  return sorted(quantities)[0]
}

function highest(quantities: readonly (Quantity | undefined)[]): Quantity | undefined {
  return sorted(quantities).at(-1)
}

function sorted(quantities: readonly (Quantity | undefined)[]): readonly Quantity[] {
  return quantities
    .filter(isPresent)
    .sort((a, b) => (a.thousandths < b.thousandths ? -1 : a.thousandths > b.thousandths ? 1 : 0))
}

/** A fault was noted for a number that the engine does not take. */
function numberOf(value: bigint | undefined): number | undefined {
  return value === undefined ? undefined : Number(value > mostExact ? mostExact : value)
}

/** Everything is dropped and the rest added, because engines differ in what they give to every container. */
function capabilitiesOf(app: readonly NamedIsolator[]): Pick<Container, 'capAdd' | 'capDrop'> {
  const retained = allOf(app, 'retain-capabilities')
  const removed = allOf(app, 'remove-capabilities').flatMap(({ set }) => set)
  if (retained.length === 0 && removed.length === 0) return {}
  const kept =
    retained.length > 0
      ? retained.flatMap(({ set }) => set)
      : usualCapabilities.filter(one => !removed.includes(one))
  return { capDrop: ['ALL'], capAdd: [...new Set(kept)].sort() }
}

/** A set of which nobody knows what is in it may make an app freer than it is meant to be, so it does not run. */
function systemCallsOf(app: readonly NamedIsolator[], spot: Spot): Container['systemCalls'] {
  const set = lastOf(app, 'system-calls')
  const [unknown] = set?.unknown ?? []
  if (unknown !== undefined)
    spot.fault(
      `name the set of system calls "${unknown}"; Tallyman knows ${Object.keys(knownSets).join(', ')}`,
    )
  if (set === undefined || typeof set.filter === 'string') return undefined
  const { mode, calls } = set.filter
  const needed = mode === 'remove' ? calls.find(name => programCalls.includes(name)) : undefined
  if (needed !== undefined) spot.fault(`remove the system call ${needed}, without which no program starts`)
  return set.filter
}

/** Returns the security options of an app. What it says goes before what its pod says. */
export function securityOf({ pod, app }: Both): readonly string[] {
  const profile = lastOf(app, 'apparmor-profile') ?? lastOf(pod, 'apparmor-profile')
  const context = lastOf(app, 'selinux-context') ?? lastOf(pod, 'selinux-context')
  const isBound = allOf(app, 'no-new-privileges').some(({ isOn }) => isOn)
  return [
    ...(profile === undefined ? [] : [`apparmor=${profile.profile}`]),
    ...(context?.options ?? []),
    ...(isBound ? ['no-new-privileges:true'] : []),
    ...(lastOf(app, 'system-calls')?.filter === 'unfiltered' ? ['seccomp=unconfined'] : []),
  ].sort()
}

type Of<K extends Isolator['kind']> = Extract<Isolator, { kind: K }>

function allOf<K extends Isolator['kind']>(isolators: readonly NamedIsolator[], kind: K): readonly Of<K>[] {
  return isolators.map(({ isolator }) => isolator).filter((one): one is Of<K> => one.kind === kind)
}

function lastOf<K extends Isolator['kind']>(isolators: readonly NamedIsolator[], kind: K): Of<K> | undefined {
  return allOf(isolators, kind).at(-1)
}
