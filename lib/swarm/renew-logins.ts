import type { Client } from '../docker/api/client.ts'
import { Failure } from '../errors.ts'
import type { Identity } from '../state/identity.ts'
import { label, labelOf } from '../state/labels.ts'
import type { LiveContainer } from '../state/running/live.ts'
import type { ToldService } from './api/service.ts'
import { tasksBy } from './api/tasks.ts'
import { standingOf } from './observe/task/standing.ts'
import { forgetFiles } from './service/files.ts'
import { findService } from './service/find.ts'
import { loginMarkOf, loginThere, withLoginMark } from './service/login.ts'
import { changeService } from './service/tell.ts'
import type { Manager } from './steps/apply-service.ts'

/**
 * Gives the nodes the login of its registry anew where it is another one than a service was given last, and changes
 * nothing else, so no task is replaced. Returns the names of these services. One that is being updated, or that somebody
 * changes at the same time, is left to the next pass; an update that only waits for a node that is lost is none. Asks the
 * manager nothing while all have the login of now.
 */
export async function renewLogins(
  manager: Pick<Manager, 'client' | 'known'>,
  services: readonly LiveContainer[],
  owner: Identity,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { client, known } = manager
  const marks = new Map<string, Promise<string | undefined>>()
  const markFor = (image: string) => {
    const mark =
      marks.get(image) ??
      loginThere(client, image).then(async login => login && loginMarkOf(login, await known.key()))
    marks.set(image, mark)
    return mark
  }
  const renewed: string[] = []
  for (const { engineName, image, runs } of services) {
    if (runs === undefined || image === '') continue
    const mark = await markFor(image)
    if (mark === undefined || mark === runs.login) continue
    if (await renew(manager, engineName, mark, owner, signal)) renewed.push(engineName)
  }
  // The specification before is the same now, and names no older files any more.
  if (renewed.length > 0) await forgetFiles(manager.client, owner, signal)
  return renewed
}

async function renew(
  manager: Pick<Manager, 'client' | 'known'>,
  name: string,
  mark: string,
  owner: Identity,
  signal: AbortSignal,
): Promise<boolean> {
  const there = await findService(manager.client, name, owner, signal)
  if (there === undefined || (await isUnderWay(manager.client, there, signal))) return false
  // This pass may have given it with a change.
  if (labelOf(there.Spec.Labels, label.login) === mark) return false
  try {
    await changeService(manager.client, there, await withLoginMark(manager, there.Spec), signal)
    return true
  } catch (error) {
    if (error instanceof Failure && error.code === 'service-changed') return false
    throw error
  }
}

/**
 * Whether an update of a service has yet to come to its end. If all tasks run, and all that it waits for is one that was
 * given up with its node, it goes on only once the node is back. Until then tasks may start on the others.
 */
async function isUnderWay(client: Client, there: ToldService, signal: AbortSignal): Promise<boolean> {
  const state = there.UpdateStatus?.State
  if (state !== 'updating') return state === 'paused'
  const { running, wanted, abandoned } = standingOf(
    there,
    await tasksBy(client, { service: [there.ID] }, signal),
  )
  return running < wanted || abandoned.length === 0
}
