/** Each function waits until it is the turn of a piece of work: one that begins something, or goes on with it. */
export type PassTurns = { begin(): Promise<void>; goOn(): Promise<void> }

/**
 * Creates turns for pieces of work that keep the processor busy. At most one of them has each turn of the event loop,
 * so that requests, events and answers never wait for more than one. What has begun goes on before anything else
 * begins, and otherwise it is first come, first served. So little is under way at the same time, however many sites
 * there are, and few answers of engines wait in memory.
 */
export function createTurns(): PassTurns {
  const beginning: (() => void)[] = []
  const goingOn: (() => void)[] = []
  const next = () => {
    const enter = goingOn.shift() ?? beginning.shift()
    enter?.()
    if (goingOn.length + beginning.length > 0) setImmediate(next)
  }
  const wait = (line: (() => void)[]) =>
    new Promise<void>(resolve => {
      line.push(resolve)
      if (goingOn.length + beginning.length === 1) setImmediate(next)
    })
  return { begin: () => wait(beginning), goOn: () => wait(goingOn) }
}
