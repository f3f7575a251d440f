import { optional } from '../../../object.ts'
import type { IsolatorOutcome } from '../../../state/application/pod/pod.ts'
import type { Quantity } from '../grammar/quantity.ts'
import type { Isolator, NamedIsolator } from './isolator.ts'
import { sharesOf } from './shares.ts'

/** An app of a pod with its isolators. */
export type IsolatedApp = { readonly name: string; readonly isolators: readonly NamedIsolator[] }

/**
 * Returns what becomes of every isolator: it is enforced as it is written, modified or ignored (C40). Those of the pod
 * come first. The engine has no limit for several containers together, so that of a pod is the most of each app (C42).
 */
export function outcomesOf(
  pod: readonly NamedIsolator[],
  apps: readonly IsolatedApp[],
): readonly IsolatorOutcome[] {
  const ofPod = pod.map((one, index) => ({ isolator: one.name, ...fateInPod(one, index, pod, apps) }))
  const ofApps = apps.flatMap(({ name: app, isolators }) =>
    isolators.map((one, index) => ({ app, isolator: one.name, ...fateInApp(one, index, isolators, pod) })),
  )
  return [...ofPod, ...ofApps]
}

type Fate = Pick<IsolatorOutcome, 'outcome' | 'reason'>

const enforced: Fate = { outcome: 'enforced' }
const ignored = (reason: string): Fate => ({ outcome: 'ignored', reason })
const modified = (reason: string): Fate => ({ outcome: 'modified', reason })

/** Returns why nothing is done about an isolator; undefined if something is. */
export function whyIgnored(isolator: Isolator, of: 'pod' | 'app'): string | undefined {
  if (isolator.kind === 'unsupported') return isolator.why
  if (of === 'pod' && isResource(isolator) && isolator.limit === undefined) return nothingKept
  if (scopes[isolator.kind].includes(of)) return undefined
  return of === 'pod' ? 'it is for an app' : 'it is for the pod'
}

const nothingKept = 'the engine keeps nothing for several containers together'

type Kind = Exclude<Isolator['kind'], 'unsupported'>

const scopes: Readonly<Record<Kind, readonly ('pod' | 'app')[]>> = {
  memory: ['pod', 'app'],
  cpu: ['pod', 'app'],
  'retain-capabilities': ['app'],
  'remove-capabilities': ['app'],
  'system-calls': ['app'],
  'no-new-privileges': ['app'],
  'oom-score-adj': ['app'],
  'cpu-shares': ['app'],
  'apparmor-profile': ['pod', 'app'],
  'selinux-context': ['pod', 'app'],
  sysctl: ['pod'],
}

function fateInPod(
  { isolator }: NamedIsolator,
  index: number,
  pod: readonly NamedIsolator[],
  apps: readonly IsolatedApp[],
): Fate {
  const why = whyIgnored(isolator, 'pod')
  if (why !== undefined) return ignored(why)
  if (isResource(isolator)) {
    const lower = whyNotLowest(isolator, index, pod)
    if (lower !== undefined) return modified(lower)
    const reasons = [
      ...(asksForItself(isolator) ? [`its request is left out: ${nothingKept}`] : []),
      ...(apps.length === 1
        ? []
        : ['the engine has no limit for several containers together, so it is the most of each app']),
    ]
    return reasons.length === 0 ? enforced : modified(reasons.join('; '))
  }
  if (isolator.kind === 'apparmor-profile' || isolator.kind === 'selinux-context') {
    const others = apps.filter(({ isolators }) => isolators.some(one => one.isolator.kind === isolator.kind))
    if (others.length > 0) return modified(`${others.map(({ name }) => name).join(', ')} goes by its own`)
  }
  return enforced
}

function fateInApp(
  { isolator }: NamedIsolator,
  index: number,
  own: readonly NamedIsolator[],
  pod: readonly NamedIsolator[],
): Fate {
  const why = whyIgnored(isolator, 'app')
  if (why !== undefined) return ignored(why)
  switch (isolator.kind) {
    case 'memory':
    case 'cpu': {
      const changed =
        whyNotLowest(isolator, index, own) ??
        whyBounded(isolator, pod) ??
        whyWeighted(isolator, own) ??
        whyOtherShare(isolator)
      return changed === undefined ? enforced : modified(changed)
    }
    case 'retain-capabilities':
    case 'remove-capabilities': {
      const { leftOut = [] } = isolator
      return leftOut.length === 0
        ? enforced
        : modified(leftOutText(leftOut, 'no capability', 'no capabilities'))
    }
    case 'system-calls': {
      const { leftOut = [] } = isolator
      return leftOut.length === 0
        ? enforced
        : modified(leftOutText(leftOut, 'no system call', 'no system calls'))
    }
    default:
      return enforced
  }
}

type Resource = Extract<Isolator, { kind: 'memory' | 'cpu' }>

function isResource(isolator: Isolator): isolator is Resource {
  return isolator.kind === 'memory' || isolator.kind === 'cpu'
}

/** A request that is the limit says no more than none (C41). */
function asksForItself({ request, limit }: Resource): boolean {
  return request !== undefined && request.thousandths !== limit?.thousandths
}

function resourcesIn(isolators: readonly NamedIsolator[], kind: Resource['kind']): readonly Resource[] {
  return isolators.flatMap(({ isolator }) =>
    isResource(isolator) && isolator.kind === kind ? [isolator] : [],
  )
}

/** Of several limits of one kind, the lowest one counts. */
function whyNotLowest(
  { kind, limit }: Resource,
  index: number,
  all: readonly NamedIsolator[],
): string | undefined {
  const others = resourcesIn(
    all.filter((_, at) => at !== index),
    kind,
  )
  return limit !== undefined && others.some(other => isLess(other.limit, limit))
    ? 'a lower limit stands beside it'
    : undefined
}

function whyBounded({ kind, limit, request }: Resource, pod: readonly NamedIsolator[]): string | undefined {
  const lower = resourcesIn(pod, kind).some(
    other => isLess(other.limit, limit) || isLess(other.limit, request),
  )
  return lower ? 'the limit of the pod is lower' : undefined
}

function whyWeighted({ kind, request }: Resource, own: readonly NamedIsolator[]): string | undefined {
  const hasShares = own.some(({ isolator }) => isolator.kind === 'cpu-shares')
  return kind === 'cpu' && request !== undefined && hasShares
    ? 'os/linux/cpu-shares counts in the place of its request'
    : undefined
}

function whyOtherShare({ kind, request }: Resource): string | undefined {
  return kind === 'cpu' && request !== undefined ? sharesOf(request).why : undefined
}

function isLess(one: Quantity | undefined, other: Quantity | undefined): boolean {
  return one !== undefined && other !== undefined && one.thousandths < other.thousandths
}

/** The annotation with which a reified manifest tells its apps what became of isolators. */
export const outcomesAnnotation = 'tallyman/isolators'

/** Returns the outcomes of one app, or of the pod, as a text with a line for each; undefined if there are none. */
export function outcomesText(outcomes: readonly IsolatorOutcome[], app?: string): string | undefined {
  const own = outcomes.filter(one => one.app === app)
  if (own.length === 0) return undefined
  return own
    .map(({ isolator, outcome, reason }) =>
      [`${isolator}: ${outcome}`, ...Object.values(optional('reason', reason))].join(', '),
    )
    .join('\n')
}

function leftOutText(names: readonly string[], one: string, several: string): string {
  return `${names.join(', ')} ${names.length === 1 ? `is ${one}` : `are ${several}`}`
}
