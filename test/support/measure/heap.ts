import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Returns how many bytes the heap has once everything that nobody can reach any more is gone. */
export function heapInUse(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc')
  collect()
  return process.memoryUsage().heapUsed
}
