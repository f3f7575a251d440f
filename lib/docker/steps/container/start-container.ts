import type { StepOf } from '../../../plan/step/step.ts'
import type { Identity } from '../../../state/identity.ts'
import { type Client, patientMs } from '../../api/client.ts'
import { type Refusal, refused } from '../../api/refusal.ts'
import { giveAddressesBack } from '../../container/attachment.ts'
import { leaveGoneNetworks } from '../../container/gone-networks.ts'
import { isDoneIn } from '../../container/inspect/done.ts'
import { inspectContainer } from '../../container/inspect/inspect.ts'
import { isUnstartable, madeAnew, makeAnew } from '../../container/make-anew.ts'
import { withPortHolder } from './port-holder.ts'

const started = 304

/**
 * Starts a container; a running one is left alone. Fails with `port-taken`, `mount-refused`, `start-refused` and the
 * engine's own words.
 * - If it was drained, and another container has got its address since, it leaves its gate and is admitted there again.
 * - If its network is gone, it is attached to the present one of that name, if there is one.
 * - If the engine was killed while it started the container, so that it can never be started, it is created anew, and
 *   that is noted.
 */
export async function startContainer(
  client: Client,
  { container, unlessDoneIn }: Omit<StepOf<'start-container'>, 'do'>,
  owner: Identity,
  signal: AbortSignal,
  note: (words: string) => void,
): Promise<void> {
  if (unlessDoneIn !== undefined && (await isDone(client, container, unlessDoneIn, signal)))
    return note(`${container}: has run to its end`)
  const start = async () => {
    const request = { method: 'POST', path: `/containers/${container}/start`, limitMs: patientMs } as const
    const answer = await client.call(request, signal)
    if (answer.ok) client.noteStarted(container)
    return answer.ok || answer.status === started ? undefined : answer
  }
  const refusal = await start()
  if (refusal === undefined) return
  const isRight = await isPutRight(client, container, owner, refusal, signal)
  if (isRight && isUnstartable(refusal.message)) note(madeAnew)
  const again = isRight ? await start() : refusal
  if (again !== undefined) throw refused(client.site, container, await withPortHolder(client, again, signal))
}

async function isDone(
  client: Client,
  container: string,
  sandbox: string,
  signal: AbortSignal,
): Promise<boolean> {
  const [app, head] = await Promise.all([
    inspectContainer(client, container, signal),
    inspectContainer(client, sandbox, signal),
  ])
  return app !== undefined && head !== undefined && isDoneIn(head, app)
}

/** Removes an obstacle to the start that is nobody's fault. Returns false if it is something else. */
async function isPutRight(
  client: Client,
  container: string,
  owner: Identity,
  { message }: Refusal,
  signal: AbortSignal,
): Promise<boolean> {
  if (isUnstartable(message)) return makeAnew(client, container, owner, signal)
  const putRight = /address already in use/i.test(message)
    ? giveAddressesBack
    : /\bnetwork \S+ not found/i.test(message)
      ? leaveGoneNetworks
      : undefined
  if (putRight === undefined) return false
  const there = await inspectContainer(client, container, signal)
  return there !== undefined && putRight(client, there, signal)
}

/** Unpauses a container. One that is not paused is left alone. */
export async function unpauseContainer(
  client: Client,
  container: string,
  signal: AbortSignal,
): Promise<void> {
  const answer = await client.call({ method: 'POST', path: `/containers/${container}/unpause` }, signal)
  if (answer.ok) return
  const there = await inspectContainer(client, container, signal)
  if (there?.State.Status !== 'running') throw refused(client.site, container, answer)
}
