import { optional } from '../../object.ts'
import { shortFingerprint } from '../../state/application/fingerprint.ts'
import type { SwarmService } from '../../state/application/swarm/swarm-service.ts'
import type { LiveContainer } from '../../state/running/live.ts'
import type { Difference } from '../compare/diff.ts'
import type { Standstill } from '../compare/drift/faults.ts'
import { isImageReplaced } from '../compare/drift/genuine.ts'
import type { LiveInstance, WantedInstance } from '../compare/instance/instance.ts'
import { earlyOf } from '../rollout/early.ts'
import type { PutBack } from '../rollout/finish-undo.ts'
import { isScaling } from '../rollout/swarm/on-swarm.ts'
import type { Scaled } from '../rollout/swarm/swarm-restore.ts'
import type { InstanceLine } from './change.ts'

/** What is said of one instance. */
type Told = {
  readonly sign: InstanceLine['sign']
  readonly of: LiveInstance | WantedInstance
} & Pick<InstanceLine, 'reason' | 'said'>

/** Returns one line for each instance that is touched, with its reason (G7). */
export function instanceLines(difference: Difference, reason: string): readonly InstanceLine[] {
  const { service, faults, matched, missing, surplus, kind, isRollout } = difference
  const begun = [...difference.begun, ...difference.leftOver]
  const replaced = missing.map((wanted, index): Told => {
    const old = surplus[index]
    if (old === undefined)
      return { sign: '+', of: wanted, reason: kind === 'drifted' ? removedText(difference) : reason }
    const sign = isScaling(difference) ? '~' : '-/+'
    return { sign, of: wanted, reason: brokenText(old, wanted, difference) ?? reason }
  })
  const removed = surplus.slice(missing.length).map(
    (live): Told => ({
      sign: '-',
      of: live,
      reason: kind === 'drifted' ? surplusText(live, difference) : reason,
    }),
  )
  const early = earlyOf(difference)
  const stopping = early.map((of): Told => ({ sign: '~', of, reason: 'runs, and stops for the mid hook' }))
  const others = faults.filter(({ live }) => !early.includes(live))
  const touched = [...stopping, ...standstills(others), ...replaced, ...removed]
  if (touched.length > 0) return named(service, touched)
  const jobs = [...new Set(begun.map(({ container }) => container))].map(
    (name): InstanceLine => ({
      sign: '~',
      name: `${service} ${name}`,
      reason: isRollout ? 'of a rollout that was interrupted' : 'left over from an interrupted rollout',
    }),
  )
  const unproven = matched.map(
    ({ live }): Told => ({
      sign: '~',
      of: live,
      reason: `has yet to pass its health gate, with ${imagesOf(live)}`,
    }),
  )
  return jobs.length > 0 ? jobs : named(service, unproven)
}

/** Returns the images of the applications of an instance, each once. */
function imagesOf({ containers }: LiveInstance): string {
  const apps = containers.filter(({ role }) => role === 'app')
  const images = apps.map(({ image, digest }) => (digest === '' ? image : `${image}@${digest}`))
  return [...new Set(images)].join(', ')
}

/** Returns one line for each instance to which something happened from outside. */
export function standstillLines(
  service: string,
  faults: readonly Standstill[],
  scaled: readonly Scaled[] = [],
): readonly InstanceLine[] {
  const numbers = scaled.map(
    ({ live, from, to }): Told => ({ sign: '~', of: live, reason: byHand(fromTo(from, to)) }),
  )
  return named(service, [...standstills(faults), ...numbers])
}

function standstills(faults: readonly Standstill[]): readonly Told[] {
  return [...Map.groupBy(faults, ({ live }) => live)].map(([live, of]) => ({
    sign: '~',
    of: live,
    reason: [...new Set(of.map(faultText))].join('; '),
    ...optional(
      'said',
      of.map(wordsOfProbe).find(words => words !== ''),
    ),
  }))
}

function wordsOfProbe({ what }: Standstill): string {
  return what.is === 'not-alive' ? what.words : ''
}

/** Returns one line for each instance that will run as before an attempt, and for each that the attempt made. */
export function putBackLines({ service, matched, missing, surplus }: Difference): readonly InstanceLine[] {
  return putBack(service, [...matched.map(({ live }) => live), ...missing], surplus)
}

/** Returns one line for each instance that an undone rollout stopped or left behind. */
export function restoreLines(service: string, { asleep, failed }: PutBack): readonly InstanceLine[] {
  return putBack(service, asleep, failed)
}

function putBack(
  service: string,
  before: readonly (LiveInstance | WantedInstance)[],
  failed: readonly LiveInstance[],
): readonly InstanceLine[] {
  return named(service, [
    ...before.map((one): Told => ({ sign: '~', of: one, reason: 'ran before' })),
    ...failed.map((one): Told => ({ sign: '-', of: one, reason: 'of the failed rollout' })),
  ])
}

/** Instances of different images are numbered apart: of those with one number, the name says more, as that of their containers does. */
function named(service: string, told: readonly Told[]): readonly InstanceLine[] {
  const alike = Map.groupBy(told, ({ of }) => lineName(service, of))
  return told.map(({ of, ...line }) => {
    const name = lineName(service, of)
    const isOnly = (alike.get(name)?.length ?? 0) < 2
    return { ...line, name: isOnly ? name : `${name}.${shortFingerprint(of.fingerprint)}` }
  })
}

/** Why an instance is removed of a service that is as it is wanted otherwise. */
export function surplusText({ fingerprint }: LiveInstance, { matched }: Pick<Difference, 'matched'>): string {
  return matched.some(({ live }) => live.fingerprint === fingerprint)
    ? 'more instances than wanted'
    : 'another version is still there'
}

/** Who removed it: an attempt that has not ended, or somebody else. */
function removedText({ isHalfway }: Pick<Difference, 'isHalfway'>): string {
  return isHalfway ? 'was removed by that rollout' : 'was removed'
}

/** Whether it is no longer as it was applied, and no attempt of Tallyman's made it so. */
function isByHand({ kind, isHalfway }: Pick<Difference, 'kind' | 'isHalfway'>): boolean {
  return kind === 'drifted' && isHalfway !== true
}

function lineName(service: string, of: LiveInstance | WantedInstance): string {
  const [head] = of.containers
  const isOfSwarm = 'instance' in of ? of.instance.runs !== undefined : head !== undefined && 'runs' in head
  return isOfSwarm ? service : `${service}.${of.number}`
}

/** Returns why an instance is replaced although it was made as wanted; undefined if it was made otherwise. */
export function brokenText(
  old: LiveInstance,
  wanted: WantedInstance,
  difference: Pick<Difference, 'kind' | 'isHalfway'>,
): string | undefined {
  const madeFrom = (container: LiveContainer) =>
    old.fingerprint === wanted.fingerprint
      ? wanted.containers.find(({ spec }) => spec.name === container.container)
      : undefined
  if (old.containers.some(one => isImageReplaced(one, madeFrom(one)))) return 'its image was replaced'
  if (old.fingerprint !== wanted.fingerprint) return undefined
  const altered = old.containers[0].runs?.altered
  const scaled = scaledText(old, wanted)
  if (altered !== undefined) return scaled === undefined ? altered : `${altered}, ${scaled}`
  if (scaled !== undefined) return isByHand(difference) ? byHand(scaled) : scaled
  if (old.containers.length !== wanted.containers.length) return 'not all of its containers are there'
  return old.containers.some(({ state }) => state === 'dead' || state === 'removing') ? 'dead' : undefined
}

/** From how many tasks to how many a service of a Swarm is scaled; undefined: it has as many as are wanted. */
function scaledText(
  { containers: [{ runs }] }: LiveInstance,
  { instance }: WantedInstance,
): string | undefined {
  const replicas = instance.runs?.replicas
  if (runs === undefined || replicas === undefined || runs.replicas === replicas) return undefined
  return fromTo(runs.replicas, replicas)
}

function fromTo(from: SwarmService['replicas'], to: SwarmService['replicas']): string {
  return `scaled from ${countText(from)} to ${to}`
}

function byHand(scaled: string): string {
  return `${scaled}, because somebody scaled it by hand`
}

function countText(replicas: SwarmService['replicas']): string {
  return replicas === 1 ? '1 task' : `${replicas} tasks`
}

/** Describes what happened to an instance from outside. */
export function faultText({ what }: Standstill): string {
  switch (what.is) {
    case 'stopped':
      return what.exitCode === undefined ? 'not started yet' : `stopped (exit code ${what.exitCode})`
    case 'paused':
      return 'paused'
    case 'detached':
      return `detached from network ${what.network.name}`
    case 'unreached':
      return `to be reached on network ${what.network.name}`
    case 'nameless':
      return `not reached by its name on network ${what.network.name}`
    case 'attached':
      return `attached to network ${what.network}`
    case 'altered':
      return what.alterations.map(({ what, from, to }) => `${what} changed from ${from} to ${to}`).join(', ')
    case 'misnamed':
      return `renamed to ${what.bears}`
    case 'unregistered':
      return 'unknown to the metadata service'
    case 'cut-off':
      return 'its sandbox was started again without it'
    case 'not-alive':
      return 'not alive'
    case 'shut-out':
      return 'ready, and gets no requests yet'
    case 'not-ready':
      return 'gets requests, and is not ready for them'
    case 'outdated':
      return what.routes.length === 1 ? '1 route to load' : `${what.routes.length} routes to load`
  }
}
