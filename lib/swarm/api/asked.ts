import type { Client } from '../../docker/api/client.ts'
import type { EngineAnswer, EngineRequest } from '../../docker/api/connection/dial.ts'
import { refused } from '../../docker/api/refusal.ts'
import { Failure } from '../../errors.ts'

/**
 * Asks the manager, and returns its body; undefined if there is no such thing. Fails with `swarm-unavailable` if the
 * engine is no manager, its Swarm is locked or has no leader, or that does not answer, and as `refused` does.
 */
export async function askManager<T>(
  client: Client,
  resource: string,
  request: EngineRequest,
  signal: AbortSignal,
): Promise<T | undefined> {
  const answer = await client.call<T>(request, signal)
  if (answer.ok) return answer.body
  if (answer.status === 404) return undefined
  throw failureOnSwarm(client.site, resource, answer)
}

/** The same for what has to be there. */
export async function askFor<T>(
  client: Client,
  resource: string,
  request: EngineRequest,
  signal: AbortSignal,
): Promise<T> {
  const body = await askManager<T>(client, resource, request, signal)
  if (body === undefined)
    throw new Failure('service-changed', `${client.site}: ${resource}: it is gone`, { resource })
  return body
}

/** Returns what a manager refused as a failure. */
export function failureOnSwarm(
  site: string,
  resource: string,
  answer: Extract<EngineAnswer<unknown>, { ok: false }>,
): Failure {
  const { message } = answer
  if (isOvertaken(message))
    return new Failure(
      'service-changed',
      `${site}: ${resource}: something changed at the same time: ${message}`,
      {
        resource,
      },
    )
  const state = whyUnavailable(answer)
  if (state !== undefined) return new Failure('swarm-unavailable', `${site}: ${state}`)
  if (isUndecided(answer))
    return new Failure('swarm-unavailable', `${site}: the leader of its Swarm does not answer: ${message}`)
  if (isPortTaken(message)) return new Failure('port-taken', `${site}: ${resource}: ${message}`, { resource })
  return refused(site, resource, answer)
}

/** A Swarm publishes a port on all of its nodes, for one service. It names that, whoever it belongs to. */
function isPortTaken(message: string): boolean {
  return /desc = port '\d+' is already in use by service/.test(message)
}

/**
 * Whether the manager passed the call on to a leader that was lost meanwhile. It may have been done, so no other manager
 * is told it again: the next pass looks at what became of it (D18).
 */
export function isUndecided({
  status,
  message,
}: {
  readonly status: number
  readonly message: string
}): boolean {
  return status >= 500 && (lostCall.test(message) || lostLeader.test(message))
}

/** Codes of gRPC that say nothing about what was asked. */
const lostCall = /code = (DeadlineExceeded|Unavailable|Canceled)\b/

/** The same in words, where a manager hands on an error of its own, of the connection or of raft without a code. */
const lostLeader =
  /(?:^|desc = )(?:context (?:deadline exceeded|canceled)|(?:unexpected )?EOF$|transport\b|stream terminated|raft: (?!raft message is too large))/

/** Whether something that the call is about was changed or removed since it was looked at. */
function isOvertaken(message: string): boolean {
  const isGone = /not found/i.test(message) && /network|config|secret/i.test(message)
  return isGone || /update out of sequence/i.test(message)
}

/**
 * Returns why an engine refuses, in words, because it is no manager, or its Swarm cannot decide: nothing has happened
 * then. Undefined: for another reason.
 */
export function whyUnavailable(answer: {
  readonly status: number
  readonly message: string
}): string | undefined {
  if (answer.status >= 500 && /does not have a leader/.test(answer.message)) return leaderless
  return answer.status === 503 ? unavailable(answer.message) : undefined
}

const leaderless = 'its Swarm has no leader: most of its managers do not answer'

/** Docker says in one answer that an engine is no manager, and how to become one. */
function unavailable(message: string): string | undefined {
  if (/locked|encrypted/i.test(message)) return 'its Swarm is locked: unlock it with "docker swarm unlock"'
  if (/certificates have expired/i.test(message))
    return 'its certificates have expired: have it leave its Swarm, and join again'
  if (/not a swarm manager/i.test(message))
    return /worker/i.test(message)
      ? 'it is a worker of a Swarm, and only a manager can be asked'
      : 'it is no manager of a Swarm'
  return undefined
}
