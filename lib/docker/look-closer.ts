import pLimit from 'p-limit'
import { isJob } from '../state/job-container.ts'
import type { LiveContainer } from '../state/live.ts'
import { isDraining } from './attachment.ts'
import type { Client } from './client.ts'
import { saidLines } from './excerpt.ts'
import { type Inspected, inspectContainer, lastOutput, startedAtMs } from './inspect.ts'

/** A container as the list shows it. */
export type Seen = {
  readonly live: LiveContainer
  /** A sandbox whose members do not share its processes. */
  readonly ownProcesses: boolean
  /** It was given an address: its draining was begun some time. */
  readonly givenAddress: boolean
}

/** Calls under way at once. */
const concurrency = 16
/** How much of what a health check says is kept. */
const checkCharacters = 500

/**
 * What the list does not show, by inspecting as few as can be: why something is unhealthy and since when what is
 * around it runs; where members would outlive a restart of their sandbox, whether they did; and of what was being
 * drained, whether it still is. Nothing else is asked for.
 */
export async function lookCloser(
  client: Client,
  seen: readonly Seen[],
  signal: AbortSignal,
): Promise<readonly LiveContainer[]> {
  const instances = [...Map.groupBy(seen.filter(isOfInstance), instanceOf).values()]
  const limit = pLimit(concurrency)
  const inspected = new Map<string, Inspected>()
  await limit.map(
    instances.flatMap(members =>
      members.filter(one => one.givenAddress || isUnhealthy(members) || canBeCutOff(one, members)),
    ),
    async ({ live }) => {
      const there = await inspectContainer(client, live.id, signal)
      if (there !== undefined) inspected.set(live.id, there)
    },
  )
  const closer = new Map(
    instances.flatMap(members => members.map(one => [one, withFacts(one, members, inspected)] as const)),
  )
  return seen.map(one => closer.get(one) ?? one.live)
}

/** Jobs bear the labels of an instance, but are none of its containers. */
function isOfInstance({ live }: Seen): boolean {
  return !isJob(live)
}

function instanceOf({ live: { application, service, instance, fingerprint } }: Seen): string {
  return [application, service, instance, fingerprint].join('/')
}

function isUnhealthy(members: readonly Seen[]): boolean {
  return members.some(({ live }) => live.health === 'unhealthy')
}

/** The sandbox itself counts: the others are compared with it. */
function canBeCutOff({ live }: Seen, members: readonly Seen[]): boolean {
  const sandbox = members.find(isLoneSandbox)
  return sandbox !== undefined && live.state === 'running'
}

function isLoneSandbox({ live, ownProcesses }: Seen): boolean {
  return ownProcesses && live.role === 'sandbox' && live.state === 'running'
}

function withFacts(
  { live }: Seen,
  members: readonly Seen[],
  inspected: ReadonlyMap<string, Inspected>,
): LiveContainer {
  const now = inspected.get(live.id)
  if (now === undefined) return live
  const sinceMs = startedAtMs(now)
  const sandbox = inspected.get(members.find(isLoneSandbox)?.live.id ?? '')
  const sandboxSinceMs = sandbox && startedAtMs(sandbox)
  const isCutOff =
    live.state === 'running' &&
    sinceMs !== undefined &&
    sandboxSinceMs !== undefined &&
    sinceMs < sandboxSinceMs
  return {
    ...live,
    ...(live.health === 'unhealthy' ? { checkOutput: checkOutputOf(now) } : {}),
    ...(isUnhealthy(members) && sinceMs !== undefined ? { startedAtMs: sinceMs } : {}),
    ...(isCutOff ? { isCutOff } : {}),
    ...(isDraining(now) ? { isDraining: true } : {}),
  }
}

function checkOutputOf(now: Inspected): string {
  return saidLines(lastOutput(now), now.Config.Env ?? [])
    .join('\n')
    .slice(0, checkCharacters)
}
