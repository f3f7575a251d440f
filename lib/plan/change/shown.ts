import { optional } from '../../object.ts'
import type { Instance } from '../../state/application/application.ts'
import { seccompProfile } from '../../state/application/container/system-calls/filter.ts'
import type { Route } from '../../state/application/ingress/route.ts'
import { routingOf } from '../../state/application/ingress/traffic.ts'
import { reifiedPod } from '../../state/application/pod/reified-pod.ts'
import type { Difference } from '../compare/diff.ts'
import {
  distinctFields,
  fieldChanges,
  type InstanceSpecification,
  imageChanges,
} from '../compare/field/fields.ts'
import type { LiveInstance, WantedInstance } from '../compare/instance/instance.ts'
import type { Delivery, ShownPod } from './change.ts'
import { specificationOf } from './made-instances.ts'
import { routeChanges } from './route-changes.ts'

/** What is shown of a change besides its instances. */
export type Shown = Pick<Delivery, 'fields' | 'whole' | 'pods'>

/** What is known besides a difference. */
export type ShownInput = {
  readonly specificationOf: (fingerprint: string) => InstanceSpecification | undefined
  readonly loaded?: readonly Route[]
}

/** Returns what differs, field by field, and which instances are shown whole. */
export function shownOf(difference: Difference, input: ShownInput): Shown {
  const { service, declared, missing, faults } = difference
  const routing = declared && routingOf(declared.service)
  const isLoading = missing.length > 0 || faults.some(({ what }) => what.is === 'outdated')
  const routes = routing !== undefined && isLoading ? routeChanges(input.loaded ?? [], routing.routes) : []
  const pairs = pairsOf(difference, input)
  const own = pairs.flatMap(({ before, known, after }) =>
    known === undefined
      ? imageChanges(service, before.containers, specificationOf(after.containers))
      : fieldChanges(service, known, specificationOf(after.containers)),
  )
  const whole = wholeOf(difference, pairs)
  return {
    fields: [...distinctFields(own), ...routes],
    ...(whole.length === 0 ? {} : { whole }),
    ...optional('pods', podsOf(difference)),
  }
}

/** Instances that are one value are one pod. */
function podsOf({ missing }: Difference): Delivery['pods'] {
  const instances = new Set(missing.map(({ instance }) => instance))
  const [first, ...others] = [...instances].map(shownPod).filter(one => one !== undefined)
  return first && [first, ...others]
}

/**
 * Returns the pod of an instance, the profiles that are made for its apps, and which of them the engine starts again with
 * what they have written.
 */
function shownPod(instance: Instance): ShownPod | undefined {
  const pod = reifiedPod(instance)
  const keepsFiles = instance.containers.flatMap(({ name, restart, readOnly }) =>
    restart.name === 'no' || readOnly === true ? [] : [name],
  )
  const profiles = instance.containers.flatMap(container => {
    const { name, systemCalls } = container
    return systemCalls === undefined ? [] : [[name, seccompProfile(systemCalls, container)] as const]
  })
  return (
    pod && {
      ...pod,
      ...(profiles.length === 0 ? {} : { seccomp: Object.fromEntries(profiles) }),
      ...(keepsFiles.length === 0 ? {} : { keepsFiles }),
    }
  )
}

/** Two instances of which one replaces the other, and what is known of the replaced one. */
type Pair = {
  readonly before: LiveInstance
  readonly known: InstanceSpecification | undefined
  readonly after: WantedInstance
}

/** Returns each pair of fingerprints once, because instances with the same fingerprint are equal. */
function pairsOf(
  { missing, matched, faults, surplus, isRollout }: Difference,
  input: ShownInput,
): readonly Pair[] {
  // A rollout that failed half-way has made instances that never served. What they replace is still there.
  const faulty = new Set(faults.map(({ live }) => live))
  const made = matched.flatMap(({ wanted, live }) => (isRollout && faulty.has(live) ? [wanted] : []))
  const pairs = [...missing, ...made].flatMap((after, index): readonly (readonly [string, Pair])[] => {
    const before = surplus[index]
    if (before === undefined || before.fingerprint === after.fingerprint) return []
    const known = input.specificationOf(before.fingerprint)
    return [[`${before.fingerprint} ${after.fingerprint}`, { before, known, after }]]
  })
  return [...new Map(pairs).values()]
}

/** Returns instances that equal nothing that runs, and were compared with nothing. */
function wholeOf({ matched, missing, surplus }: Difference, pairs: readonly Pair[]): readonly string[] {
  const known = new Set([
    ...matched.map(({ wanted }) => wanted.fingerprint),
    ...surplus.map(({ fingerprint }) => fingerprint),
    ...pairs.flatMap(({ known, after }) => (known === undefined ? [] : [after.fingerprint])),
  ])
  return [...new Set(missing.map(({ fingerprint }) => fingerprint))].filter(one => !known.has(one))
}
