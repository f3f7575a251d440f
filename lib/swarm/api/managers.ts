import type { Client } from '../../docker/api/client.ts'
import type { EngineAnswer, EngineRequest } from '../../docker/api/dial.ts'
import { Failure } from '../../errors.ts'
import { isUnavailable } from './asked.ts'

/**
 * Returns the managers of a Swarm as one, of which the first that answers is asked. The next one is asked if one cannot
 * be reached, or is no manager any more, and stays the one that is asked. What may have begun on a manager that is lost
 * fails: the next pass looks at what became of it.
 */
export function asOne(managers: readonly [Client, ...Client[]]): Client {
  const [first] = managers
  let at = 0
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
        const asked = at
        const next = () => {
          // Another call may have gone on already.
          if (at === asked) at += 1
        }
        const isLast = tried >= managers.length
        try {
          const answer = await present().call<T>(request, signal)
          if (answer.ok || isLast || !isUnavailable(answer)) return answer
          next()
        } catch (error) {
          if (!isLost(error)) throw error
          next()
          if (isLast || request.method !== 'GET') throw error
        }
      }
    },
  }
}

function isLost(error: unknown): boolean {
  return error instanceof Failure && (error.code === 'engine-unreachable' || error.code === 'engine-denied')
}
