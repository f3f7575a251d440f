import type { Application, Service } from '../../../state/application/application.ts'
import type { LiveContainer } from '../../../state/running/live.ts'
import { underItsNames } from '../../rollout/stage/rename-steps.ts'
import { isGenuine } from '../drift/genuine.ts'
import {
  groupInstances,
  isRunning,
  type LiveInstance,
  type WantedInstance,
  wantedInstance,
} from './instance.ts'

/** A desired instance and the one that exists of it. */
export type Pair = { readonly wanted: WantedInstance; readonly live: LiveInstance }

/** Which of the instances that are wanted exist, and which of those that exist are wanted. */
export type Pairing = {
  readonly pairs: readonly Pair[]
  /** Wanted, and not there: each with the lowest number that is free. */
  readonly missing: readonly WantedInstance[]
  /** There, and not wanted. */
  readonly unmatched: readonly LiveInstance[]
}

/**
 * Pairs the instances that a service should have with those that exist. Of more than are wanted, those that run and are
 * healthy stay.
 */
export function pairUp(
  environment: string,
  application: Application,
  service: Service,
  containers: readonly LiveContainer[],
): Pairing {
  const unmatched = byPreference(groupInstances(containers))
  const wantedAt = (index: number, number: number) => {
    const instance = service.instances[index]
    if (instance === undefined) throw new RangeError(`no instance ${index}`)
    return wantedInstance(environment, application, service, instance, number)
  }
  const pairs: Pair[] = []
  const open: number[] = []
  for (const index of service.instances.keys()) {
    const first = wantedAt(index, index + 1)
    const { fingerprint, containers: names } = first
    const at = unmatched.findIndex(live => live.fingerprint === fingerprint && isGenuine(live, names))
    const [live] = at < 0 ? [] : unmatched.splice(at, 1)
    if (live === undefined) open.push(index)
    else {
      const wanted = live.number === first.number ? first : wantedAt(index, live.number)
      pairs.push({ wanted, live: underItsNames(live, wanted) })
    }
  }
  const there = [...pairs.map(({ live }) => live), ...unmatched]
  return { pairs, missing: open.length === 0 ? none : withFreeNumbers(open, there, wantedAt), unmatched }
}

const none: readonly never[] = []

/** Returns the instances of these places, each with the lowest number that no instance like it has. */
function withFreeNumbers(
  places: readonly number[],
  there: readonly LiveInstance[],
  wantedAt: (index: number, number: number) => WantedInstance,
): readonly WantedInstance[] {
  const taken = new Set(there.map(({ number, fingerprint }) => `${number} ${fingerprint}`))
  const lowest = new Map<string, number>()
  return places.map(index => {
    const { fingerprint } = wantedAt(index, 1)
    let number = lowest.get(fingerprint) ?? 1
    while (taken.has(`${number} ${fingerprint}`)) number += 1
    lowest.set(fingerprint, number + 1)
    return wantedAt(index, number)
  })
}

/** Running and healthy ones come first, then by number. The first ones are kept if there are more than wanted. */
function byPreference(instances: readonly LiveInstance[]): LiveInstance[] {
  const rank = (live: LiveInstance) =>
    isRunning(live) ? (live.containers.some(({ health }) => health === 'unhealthy') ? 1 : 0) : 2
  return [...instances].sort((a, b) => rank(a) - rank(b) || a.number - b.number)
}
