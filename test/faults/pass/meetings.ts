import { writeSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import type { Point } from './point.ts'

const [, text = 'null'] = process.argv.slice(2)
const point: Point | null = JSON.parse(text)

/** Called with the name of each call; what it returns is to be called before and after it. */
export type Meet = (what: string) => (when: Point['when']) => void

export function meetings(kind: Point['kind']): Meet {
  let count = 0
  return what => {
    const fatal = point?.kind === kind && count === point.index
    count += 1
    return when => {
      if (!fatal || point?.when !== when) return
      writeSync(1, what)
      // Node would do it at its end, and the next victim starts faster.
      flushCompileCache()
      process.kill(process.pid, 'SIGKILL')
    }
  }
}
