import type { Answer } from '../network/http-call.ts'
import { waitUntil } from '../time/wait-until.ts'
import { engineCall, engineGet } from './engine-call.ts'

/** Removes what it was told to when it is disposed of; `now()` does the same at once. */
export type CleanUp = AsyncDisposable & { now(): Promise<void> }

/**
 * `await using _ = cleanUp(socket, environment)`: at the end of the test, removes every container, network and
 * volume with the label `tallyman.environment=<environment>`, and nothing else. The environment has a name that nobody
 * else has; one with a common name is told by its repository: `cleanUp(socket, 'tallyman-tour', 'tallyman.source')`.
 */
export function cleanUp(
  socket: string,
  name: string,
  label: 'tallyman.environment' | 'tallyman.source' = 'tallyman.environment',
): CleanUp {
  const now = async () => {
    await removeLabelled(socket, `${label}=${name}`)
    await removeMarksOf(socket, name)
  }
  return { now, [Symbol.asyncDispose]: now }
}

/**
 * Removes every image of a registry that tests started, the containers made from them, and the networks and
 * volumes of the environments these were in: for a machine that is given back, also after an interruption.
 */
export async function removeImagesOf(socket: string, registryHost: string): Promise<void> {
  const containers = array(await engineGet(socket, '/containers/json?all=1'))
  const left = containers.filter(one => String(one['Image']).startsWith(`${registryHost}/`))
  for (const one of left) {
    const environment = record(one['Labels'])['tallyman.environment']
    // Tasks of a Swarm have the label empty, and a filter without a value means every environment.
    if (typeof environment === 'string' && environment !== '')
      await removeLabelled(socket, `tallyman.environment=${environment}`)
    await remove(socket, `/containers/${one['Id']}?force=1&v=1`)
  }
  for (const image of array(await engineGet(socket, '/images/json'))) {
    const names = [...array(image['RepoTags']), ...array(image['RepoDigests'])].map(String)
    const own = names.filter(name => name.startsWith(`${registryHost}/`) && !name.includes('<none>'))
    for (const name of own) await remove(socket, `/images/${name}?force=1`)
  }
}

/** Removes the images of one repository, such as `localhost:5000/web`, under whichever tags and digests. */
export async function removeImages(socket: string, repository: string): Promise<void> {
  for (const image of array(await engineGet(socket, '/images/json'))) {
    const names = [...array(image['RepoTags']), ...array(image['RepoDigests'])].map(String)
    const own = names.filter(name =>
      [`${repository}:`, `${repository}@`].some(start => name.startsWith(start)),
    )
    for (const name of own.filter(one => !one.includes('<none>')))
      await remove(socket, `/images/${name}?force=1`)
  }
}

async function removeLabelled(socket: string, label: string): Promise<void> {
  const filters = encodeURIComponent(JSON.stringify({ label: [label] }))
  await removeServices(socket, filters)
  const containers = array(await engineGet(socket, `/containers/json?all=1&filters=${filters}`))
  await Promise.all(containers.map(one => remove(socket, `/containers/${one['Id']}?force=1&v=1`)))
  const networks = array(await engineGet(socket, `/networks?filters=${filters}`))
  await Promise.all(networks.map(one => removeNetwork(socket, `/networks/${one['Id']}`)))
  const { Volumes } = record(await engineGet(socket, `/volumes?filters=${filters}`))
  await Promise.all(array(Volumes).map(one => remove(socket, `/volumes/${one['Name']}?force=1`)))
}

/** An engine that is no manager of a Swarm has none. */
async function removeServices(socket: string, filters: string): Promise<void> {
  const answer = await engineCall(socket, 'GET', `/services?filters=${filters}`)
  if (answer.status !== 200) return
  const services = array(JSON.parse(answer.body.toString()))
  await Promise.all(services.map(one => remove(socket, `/services/${one['ID']}`)))
  const ids = new Set(services.map(one => one['ID']))
  const areGone = async () => {
    const tasks = array(await engineGet(socket, '/tasks'))
    return !tasks.some(task => ids.has(task['ServiceID']))
  }
  await waitUntil('the tasks of services are gone', areGone)
}

/** Whoever wrote to an environment leaves a mark. */
async function removeMarksOf(socket: string, name: string): Promise<void> {
  const filters = encodeURIComponent(JSON.stringify({ label: ['tallyman.claim'] }))
  const { Volumes } = record(await engineGet(socket, `/volumes?filters=${filters}`))
  const marks = array(Volumes).filter(
    one =>
      String(one['Name']).includes('-wrote-') &&
      String(record(one['Labels'])['tallyman.claim.of']).includes(name),
  )
  await Promise.all(marks.map(one => remove(socket, `/volumes/${one['Name']}`)))
}

/**
 * Waits for containers that are on their way out. Docker Engine 20.10 under load now and then counts one that is gone as
 * a user of its network for ever: nobody can remove such a network, and it is left. A Swarm whose managers have just found
 * each other again removes none before it has a leader.
 */
async function removeNetwork(socket: string, path: string): Promise<void> {
  await waitUntil(`${path} is removed`, async () => {
    const answer = await engineCall(socket, 'DELETE', path)
    if (answer.status === 500 && answer.body.includes('does not have a leader')) return false
    if (answer.status !== 403) return isGone(path, answer)
    const { Containers } = record(await engineGet(socket, path))
    const users = Object.keys(record(Containers))
    const there = await Promise.all(users.map(id => engineCall(socket, 'GET', `/containers/${id}/json`)))
    if (there.some(({ status }) => status !== 404)) return false
    process.stderr.write(`${path} stays behind: the engine says that it has active endpoints.\n`)
    return true
  })
}

/** 404: it is gone already; 409: its removal is under way. */
async function remove(socket: string, path: string): Promise<void> {
  isGone(path, await engineCall(socket, 'DELETE', path))
}

function isGone(path: string, { status, body }: Answer): true {
  if ([200, 204, 404, 409].includes(status)) return true
  throw new Error(`DELETE ${path}: ${status} ${body.toString()}`)
}

function array(value: unknown): readonly Record<string, unknown>[] {
  return Array.isArray(value) ? value : []
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
