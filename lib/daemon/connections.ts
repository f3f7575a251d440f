import type { Connections } from '../docker/api/client.ts'
import { createWaiting } from '../docker/api/connection/waiting-connections.ts'
import { createPool } from '../reconcile/concurrency/pool.ts'

/** Of so many connections, one is for sites that did not answer in time, and the others are for all others. */
const share = 4
/** More than the pools let into one site, beside what looks after its claim. */
const perSite = 64
/** As long as other calls. What hangs then holds up nobody. */
const patienceMs = 15_000

/**
 * Creates what keeps the connections of all sites within a number of open files: those of calls that are under way, which
 * wait for one another, and those that wait for the next call, which are closed as soon as a call needs their file.
 * @param most how many connections may be open now, beside what each site needs all the time
 * @param mostWaiting how many connections may wait now if there are open files enough
 */
export function createConnections(most: () => number, mostWaiting: () => number): Connections {
  let underWay = 0
  const pool = createPool({
    get most() {
      return Math.ceil((most() * (share - 1)) / share)
    },
    get slow() {
      return Math.floor(most() / share)
    },
    perSite,
    patienceMs,
  })
  const waiting = createWaiting(() => Math.min(most() - underWay, mostWaiting()))
  return {
    waiting,
    place: (site, call) =>
      pool(site, async () => {
        underWay += 1
        waiting.makeRoom()
        try {
          return await call()
        } finally {
          underWay -= 1
        }
      }),
  }
}
