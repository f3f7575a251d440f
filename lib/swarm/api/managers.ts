import type { Client } from '../../docker/api/client.ts'
import type { EngineAnswer, EngineRequest } from '../../docker/api/dial.ts'
import { Failure } from '../../errors.ts'
import { isUnavailable, isUndecided } from './asked.ts'

/**
 * Returns the managers of a Swarm as one, of which the first that answers is asked. The next one is asked if one cannot
 * be reached, is no manager any more, or is cut off from the others, and stays the one that is asked. One of another
 * Swarm is passed over. What may have begun on a manager that is lost fails: the next pass looks at what became of it.
 */
export function asOne(managers: readonly [Client, ...Client[]]): Client {
  const [first] = managers
  let at = 0
  const isOfSwarm = createSwarmCheck(managers)
  const present = () => managers[at % managers.length] ?? first
  return {
    ...first,
    engineVersion: () => present().engineVersion(),
    knock: () => present().knock(),
    wasAway: () => present().wasAway(),
    noteAway: () => present().noteAway(),
    close() {
      for (const manager of managers) manager.close()
    },
    async call<T>(request: EngineRequest, signal: AbortSignal): Promise<EngineAnswer<T>> {
      for (let tried = 1; ; tried += 1) {
        const [asked, manager] = [at, present()]
        const next = () => {
          // Another call may have gone on already.
          if (at === asked) at += 1
        }
        const isLast = tried >= managers.length
        let hasBegun = false
        try {
          if (!(await isOfSwarm(manager, signal))) {
            next()
            if (isLast) throw otherSwarm(first.site)
            continue
          }
          hasBegun = true
          const answer = await manager.call<T>(request, signal)
          if (answer.ok) return answer
          const isRefused = isUnavailable(answer)
          if (!isRefused && !isUndecided(answer)) return answer
          next()
          if (isLast || (!isRefused && request.method !== 'GET')) return answer
        } catch (error) {
          if (!isLost(error)) throw error
          isOfSwarm.forget(manager)
          next()
          if (isLast || (hasBegun && request.method !== 'GET')) throw error
        }
      }
    },
  }
}

function isLost(error: unknown): boolean {
  return error instanceof Failure && (error.code === 'engine-unreachable' || error.code === 'engine-denied')
}

/**
 * Returns whether a manager is of the same Swarm as the first one that said so. Each is asked before its first call, and
 * again once it was lost: on another Swarm all would be made anew. One that is no manager says it to the call itself.
 */
function createSwarmCheck(managers: readonly Client[]) {
  const asked = new Set<Client>()
  let known: string | undefined
  async function isOfSwarm(manager: Client, signal: AbortSignal): Promise<boolean> {
    if (managers.length === 1 || asked.has(manager)) return true
    const request = { method: 'GET', path: '/swarm', limitMs: 10_000 } as const
    const answer = await manager.call<{ readonly ID: string }>(request, signal)
    if (!answer.ok) return true
    known ??= answer.body.ID
    if (answer.body.ID !== known) return false
    asked.add(manager)
    return true
  }
  return Object.assign(isOfSwarm, { forget: (manager: Client) => void asked.delete(manager) })
}

function otherSwarm(site: string): Failure {
  return new Failure(
    'swarm-unavailable',
    `${site}: the managers that answer are of another Swarm than the one that was asked before`,
    { hint: 'Correct "endpoint" and "managers" of the site: all of them are managers of one Swarm.' },
  )
}
