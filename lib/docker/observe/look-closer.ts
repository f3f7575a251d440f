import pLimit from 'p-limit'
import { optional } from '../../object.ts'
import { ingressName, isGate } from '../../state/application/ingress/route.ts'
import { label, labelOf } from '../../state/labels.ts'
import { isOfInstance } from '../../state/running/job-container.ts'
import type { LiveContainer } from '../../state/running/live.ts'
import type { Client } from '../api/client.ts'
import { isDraining } from '../container/attachment.ts'
import { endedBefore, isDoneIn } from '../container/inspect/done.ts'
import { type Inspected, inspectContainer, lastOutput, startedAtMs } from '../container/inspect/inspect.ts'
import { hiding, saidLines } from '../container/output/excerpt.ts'
import { credible } from './credible.ts'
import { hasGivenAddress, type ListedContainer } from './live-container.ts'
import {
  dueOf,
  forgetGone,
  keepLook,
  knownLook,
  type Look,
  type Looks,
  lookAt,
  type Marked,
  type Now,
  shortId,
} from './looks.ts'
import { settingsIn } from './settings.ts'

/** A container as the list shows it. */
export type Listing = {
  readonly live: LiveContainer
  readonly listed: ListedContainer
}

/** Calls under way at the same time. */
const concurrency = 16
/** How much of the output of a health check is kept. */
const checkCharacters = 500

/**
 * Adds what the list does not show, and inspects as few containers as possible: why one is unhealthy, and since when
 * the containers around it run; whether containers outlived a restart of their sandbox, if they can; whether those that
 * have ended did so by themselves, and since their sandbox was started, once for each start of it; whether one that was
 * being drained still is; and the limits of those whose turn it is. Asks for nothing else. What was seen of a
 * container is remembered as long as nothing happens to it.
 */
export async function lookCloser(
  client: Client,
  seen: readonly Listing[],
  now: Now,
  signal: AbortSignal,
): Promise<readonly LiveContainer[]> {
  const { looks } = client
  forgetGone(looks, now.steadyMs)
  const members = seen.filter(({ live }) => isOfInstance(live))
  const due = new Set(dueOf(members.map(markedOf), looks, now))
  const instances = [...Map.groupBy(members, instanceOf).values()]
  const limit = pLimit(concurrency)
  const inspected = new Map<string, Inspected>()
  await limit.map(
    instances.flatMap(members =>
      members.filter(
        one =>
          due.has(one.live.id) ||
          hasGivenAddress(one.listed) ||
          isUnhealthy(members) ||
          canBeDone(one, members, looks) ||
          canBeCutOff(one, members),
      ),
    ),
    async one => {
      const { id, mark } = markedOf(one)
      const there = await inspectContainer(client, id, signal)
      if (there === undefined) return
      inspected.set(id, there)
      const { end } = lookAt(id, looks) ?? {}
      const [settings, restarts] = [settingsIn(there), there.RestartCount]
      keepLook(id, { atMs: now.steadyMs, mark, settings, restarts, ...optional('end', end) }, looks)
    },
  )
  const closer = new Map<Listing, LiveContainer>()
  for (const members of instances)
    for (const one of members) {
      const look = knownLook(markedOf(one), looks)
      const facts = withFacts(client, one, members, inspected, now.ofDayMs)
      rememberEnd(one, facts, members, looks)
      closer.set(one, look === undefined ? facts : withLook(facts, look))
    }
  return seen.map(one => closer.get(one) ?? one.live)
}

function instanceOf({ live: { application, service, instance, fingerprint } }: Listing): string {
  return [application, service, instance, fingerprint].join('/')
}

function isUnhealthy(members: readonly Listing[]): boolean {
  return members.some(({ live }) => live.health === 'unhealthy')
}

/** The sandbox itself is included, because the others are compared with it. */
function canBeCutOff({ live }: Listing, members: readonly Listing[]): boolean {
  const sandbox = members.find(isLoneSandbox)
  return sandbox !== undefined && live.state === 'running'
}

/** An app that may end, and has, and the sandbox that it is compared with, unless they were compared before. */
function canBeDone(one: Listing, members: readonly Listing[], looks: Looks): boolean {
  const isOpen = (app: Listing) => {
    const end = endOf(app, members)
    return app.live.isDone === true && (end === undefined || lookAt(app.live.id, looks)?.end !== end)
  }
  return isOpen(one) || (one.live.role === 'sandbox' && members.some(isOpen))
}

/**
 * Returns how an app has ended and in which start of its sandbox, by what the list shows; undefined if it does not show
 * that. An app that has run to its end since then has done so however often it is started again by hand.
 */
function endOf({ live: { isDone, exitCode } }: Listing, members: readonly Listing[]): string | undefined {
  const sandbox = members.find(({ live }) => live.role === 'sandbox' && live.state === 'running')
  if (isDone !== true || sandbox === undefined) return undefined
  const { id, mark } = markedOf(sandbox)
  return mark === '' ? undefined : `${exitCode} in ${id} ${mark}`
}

function rememberEnd(one: Listing, facts: LiveContainer, members: readonly Listing[], looks: Looks): void {
  const look = lookAt(one.live.id, looks)
  const end = endOf(one, members)
  if (look !== undefined && end !== undefined && facts.isDone === true)
    keepLook(one.live.id, { ...look, end }, looks)
}

function isLoneSandbox({ live, listed }: Listing): boolean {
  return (
    labelOf(listed.Labels, label.processes) === 'own' && live.role === 'sandbox' && live.state === 'running'
  )
}

function withFacts(
  client: Client,
  { live }: Listing,
  members: readonly Listing[],
  inspected: ReadonlyMap<string, Inspected>,
  ofDayMs: number,
): LiveContainer {
  const now = inspected.get(live.id)
  if (now === undefined) return live
  const sinceMs = credible(startedAtMs(now), ofDayMs)
  const sandbox = inspected.get(members.find(isLoneSandbox)?.live.id ?? '')
  const sandboxSinceMs = sandbox && credible(startedAtMs(sandbox), ofDayMs)
  const isCutOff =
    live.state === 'running' &&
    sinceMs !== undefined &&
    sandboxSinceMs !== undefined &&
    sinceMs < sandboxSinceMs
  return {
    ...withEnd(live, now, members, inspected),
    ...(live.health === 'unhealthy' ? { checkOutput: checkOutputOf(client, live, now) } : {}),
    ...(isUnhealthy(members) && sinceMs !== undefined ? { startedAtMs: sinceMs } : {}),
    ...(isCutOff ? { isCutOff } : {}),
    ...(isDraining(now) ? { isDraining: true } : {}),
  }
}

/** The list says that an app has ended, and neither how nor when. While its sandbox is stopped, that is what counts. */
function withEnd(
  live: LiveContainer,
  now: Inspected,
  members: readonly Listing[],
  inspected: ReadonlyMap<string, Inspected>,
): LiveContainer {
  const head = members.find(one => one.live.role === 'sandbox' && one.live.state === 'running')
  const sandbox = inspected.get(head?.live.id ?? '')
  if (live.isDone === undefined || sandbox === undefined || isDoneIn(sandbox, now)) return live
  const { isDone: _, ...rest } = live
  return endedBefore(sandbox, now) ? { ...rest, isCutOff: true } : rest
}

/** Nobody reaches an instance on its gate without an alias, whoever attached it in that way. */
function withLook(live: LiveContainer, { settings, restarts }: Look): LiveContainer {
  const isNameless = live.networks.some(network => isGate(network) && settings.aliases[network]?.length === 0)
  return {
    ...live,
    settings,
    ...(restarts === 0 ? {} : { restarts }),
    ...(isNameless && live.service !== ingressName ? { isDraining: true } : {}),
  }
}

/** Returns a container with the part of the list that changes when it is started or attached again. */
function markedOf({ live, listed }: Listing): Marked {
  const endpoints = Object.entries(listed.NetworkSettings?.Networks ?? {})
    .map(([name, { EndpointID = '' }]) => [name, shortId(EndpointID)].join(' '))
    .sort()
  return { id: live.id, mark: endpoints.join(', ') }
}

/** The report of a sandbox is read again by its first words, so only the words after it are hidden. */
function checkOutputOf({ redact }: Client, { role }: LiveContainer, now: Inspected): string {
  const hide = hiding(redact, now.Config.Env)
  const hideReported = (text: string) => {
    const [, report = '', words = text] = /^(restart \S+ \d+ )(.*)$/.exec(text) ?? []
    return report + hide(words)
  }
  const lines =
    role === 'sandbox'
      ? saidLines(lastOutput(now), text => text).map(hideReported)
      : saidLines(lastOutput(now), hide)
  return lines.join('\n').slice(0, checkCharacters)
}
