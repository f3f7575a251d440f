import { setImmediate } from 'node:timers/promises'

/** Lets other work run after a certain amount of work, of which every object is some. `made`: bytes. */
export function restNowAndThen(): (made: number) => Promise<void> {
  let done = 0
  return async made => {
    done += made + objectCost
    if (done < costInOneGo) return
    done = 0
    await setImmediate()
  }
}

const costInOneGo = 16 * 1024 * 1024
const objectCost = 64 * 1024
