import { sinceBootMs } from '../../clock.ts'
import type { Client } from '../../docker/api/client.ts'
import type { EngineAnswer, EngineRequest } from '../../docker/api/connection/dial.ts'
import type { ErrorCode } from '../../errors/catalogue.ts'
import { Failure } from '../../errors.ts'
import { optional } from '../../object.ts'
import { maskCredentials } from '../../text/redaction/mask.ts'
import { withoutSite } from '../../text/sites/without-site.ts'
import { isUndecided, whyUnavailable } from './asked.ts'
import { eventStreams } from './event-streams.ts'

/** What is known of one of the managers of a site. */
export type ManagerSeen = {
  /** It is the one that is asked, and answers. */
  readonly isAsked: boolean
  /** Why it could not be asked when that was tried last, in words. */
  readonly why?: string
}

/** The managers of a Swarm as one, and what is known of each of them, in the order in which they are configured. */
export type Managers = Client & { readonly seen: () => readonly ManagerSeen[] }

/**
 * Returns the managers of a Swarm as one, of which the first that answers is asked. The next one is asked if one cannot
 * be reached, is no manager any more, or is cut off from the others, and stays the one that is asked. One of another
 * Swarm is passed over, also one that has left and begun it since it was asked last. What may have begun on a manager that
 * is lost fails: the next pass looks at what became of it. The streams of events of a manager end as soon as another one
 * is asked: who is no manager any more tells of nothing, and does not say so.
 * If none of several can be asked, that fails with `swarm-unavailable`, or with what the last one did if all are lost.
 * @param endpoints where they are, for people
 * @param now the time that also passes while this machine sleeps, in ms
 */
export function asOne(
  managers: readonly [Client, ...Client[]],
  endpoints: readonly (string | undefined)[] = [],
  now: () => number = sinceBootMs,
): Managers {
  const [first] = managers
  let at = 0
  const isOfSwarm = createSwarmCheck(managers, now)
  /** Why each of them could not be asked when that was tried last; absent: it could, or it was not tried. */
  const reasons = new Map<Client, string>()
  const answered = new Set<Client>()
  const present = () => managers[at % managers.length] ?? first
  const streams = eventStreams(present)
  const note = (manager: Client, why: string | undefined) => {
    if (why === undefined) answered.add(manager)
    else answered.delete(manager)
    if (why === undefined) reasons.delete(manager)
    else reasons.set(manager, why)
    if (why !== undefined) isOfSwarm.forget(manager)
  }
  const whyNone = () =>
    managers
      .map((manager, index) => [
        maskCredentials(endpoints[index] ?? `manager ${index + 1}`),
        reasons.get(manager),
      ])
      .map(([where, why = 'it did not answer']) => `${where}: ${why}`)
      .join('; ')
  const none = (code: ErrorCode, more: { readonly hint?: string; readonly cause?: Failure } = {}) =>
    new Failure(code, `${first.site}: none of its managers can be asked: ${whyNone()}`, more)
  return {
    ...first,
    ...optional('tls', managers.find(({ tls }) => tls !== undefined)?.tls),
    engineVersion: () => present().engineVersion(),
    knock: () => present().knock(),
    seen: () =>
      managers.map(manager => ({
        isAsked: manager === present() && answered.has(manager),
        ...optional('why', reasons.get(manager)),
      })),
    wasAway: container => present().wasAway(container),
    noteStarted: container => present().noteStarted(container),
    answeredWithin: ms => present().answeredWithin(ms),
    noteAway: () => present().noteAway(),
    close() {
      for (const manager of managers) manager.close()
    },
    async call<T>(request: EngineRequest, signal: AbortSignal): Promise<EngineAnswer<T>> {
      let isAnyThere = false
      for (let tried = 1; ; tried += 1) {
        const [asked, manager] = [at, present()]
        const next = () => {
          // Another call may have gone on already.
          if (at === asked) at += 1
          streams.endOthers()
        }
        const isLast = tried >= managers.length
        let hasBegun = false
        try {
          if (!(await isOfSwarm(manager, signal))) {
            next()
            note(manager, 'it is of another Swarm')
            isAnyThere = true
            if (isLast) throw otherSwarm(first.site)
            continue
          }
          hasBegun = true
          const answer = await manager.call<T>(request, signal)
          streams.opened(manager, request, answer)
          if (request.asksRegistry !== undefined) return answer
          const refusal = answer.ok ? undefined : whyUnavailable(answer)
          const why = !answer.ok && isUndecided(answer) ? alone : refusal
          if (why !== undefined || onlyManagers.test(request.path)) note(manager, why)
          if (why === undefined) return answer
          next()
          isAnyThere = true
          if (refusal === undefined && request.method !== 'GET') return answer
          if (isLast && tried > 1) throw none('swarm-unavailable')
          if (isLast) return answer
        } catch (error) {
          if (!isLost(error)) throw error
          note(manager, withoutSite(error.message, first.site))
          next()
          if (hasBegun && request.method !== 'GET') throw error
          if (!isLast) continue
          if (tried === 1) throw error
          throw isAnyThere ? none('swarm-unavailable', { cause: error }) : none(error.code, lostAs(error))
        }
      }
    },
  }
}

/** Why one is passed over that cannot reach the others. */
const alone = 'the leader of its Swarm does not answer it'

/** What engines answer only as managers. */
const onlyManagers = /^\/(services|tasks|nodes|swarm|configs|secrets)\b/

function isLost(error: unknown): error is Failure {
  return error instanceof Failure && (error.code === 'engine-unreachable' || error.code === 'engine-denied')
}

/** For how long a manager is taken to be of the Swarm of which it said that it is, in ms. */
const trustedMs = 1_000

/**
 * Returns whether a manager is of the same Swarm as the first one that said so. Each is asked before its first call, and
 * again once a second has passed, or it could not be asked: on another Swarm all would be made anew. One that is no manager
 * says it to the call itself.
 */
function createSwarmCheck(managers: readonly Client[], now: () => number) {
  const saidAtMs = new Map<Client, number>()
  let known: string | undefined
  async function isOfSwarm(manager: Client, signal: AbortSignal): Promise<boolean> {
    const atMs = now()
    if (managers.length === 1 || atMs - (saidAtMs.get(manager) ?? -Infinity) < trustedMs) return true
    saidAtMs.delete(manager)
    const request = { method: 'GET', path: '/swarm', limitMs: 10_000 } as const
    const answer = await manager.call<{ readonly ID: string }>(request, signal)
    if (!answer.ok) return true
    known ??= answer.body.ID
    if (answer.body.ID !== known) return false
    saidAtMs.set(manager, atMs)
    return true
  }
  return Object.assign(isOfSwarm, { forget: (manager: Client) => void saidAtMs.delete(manager) })
}

function lostAs(cause: Failure): { readonly hint: string; readonly cause: Failure } {
  return { hint: cause.hint, cause }
}

function otherSwarm(site: string): Failure {
  return new Failure(
    'swarm-unavailable',
    `${site}: the managers that answer are of another Swarm than the one that was asked before`,
    { hint: 'Correct "endpoint" and "managers" of the site: all of them are managers of one Swarm.' },
  )
}
