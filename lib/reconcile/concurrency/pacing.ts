import { steadyMs } from '../../clock.ts'

/** Each function waits until a piece of work may take its part of the event loop. */
export type Pacing = {
  /** A pass begins. */
  begin(): Promise<void>
  /** A pass goes on with what it has begun. */
  goOn(): Promise<void>
  /** The answer of an engine is there, and whoever asked goes on with it. */
  hear(): Promise<void>
  /** Somebody who asked about many sites is told of some more. */
  tell(): Promise<void>
}

/** For how long answers are added to one turn of the event loop, in ms. */
const fullMs = 5

/**
 * Paces pieces of work that keep the processor busy, so that requests, events and answers never wait for many
 * of them.
 * - A turn of the event loop has one piece of one pass, or as many answers as begin within 5 ms. If both wait, they take
 *   turns.
 * - What has begun goes on before anything else begins, and otherwise it is first come, first served. So little is under
 *   way at the same time, however many sites there are, and few answers of engines wait in memory.
 * - Who asks about many sites takes turns with all passes, so that neither keeps the other waiting for long.
 */
export function createPacing(clockMs = steadyMs): Pacing {
  const answers: (() => void)[] = []
  const goingOn: (() => void)[] = []
  const beginning: (() => void)[] = []
  const telling: (() => void)[] = []
  const waiting = () => answers.length + goingOn.length + beginning.length + telling.length
  let wasPass = false
  let wasTold = false
  const turn = () => {
    const isForAnswers = answers.length > 0 && (wasPass || waiting() === answers.length)
    wasPass = !isForAnswers
    if (isForAnswers) return hearFew(clockMs())
    const pass = wasTold || telling.length === 0 ? (goingOn.shift() ?? beginning.shift()) : undefined
    wasTold = pass === undefined
    const enter = pass ?? telling.shift()
    enter?.()
    next()
  }
  const hearFew = (beganMs: number) => {
    answers.shift()?.()
    const more = () => (clockMs() - beganMs < fullMs ? hearFew(beganMs) : next())
    if (answers.length > 0) afterwards(more)
    else next()
  }
  const next = () => {
    if (waiting() > 0) setImmediate(turn)
  }
  const wait = (line: (() => void)[]) =>
    new Promise<void>(resolve => {
      line.push(resolve)
      if (waiting() === 1) setImmediate(turn)
    })
  return {
    begin: () => wait(beginning),
    goOn: () => wait(goingOn),
    hear: () => wait(answers),
    tell: () => wait(telling),
  }
}

/** Calls back in the same turn of the event loop, once everything is done that can be done without waiting. */
function afterwards(callback: () => void): void {
  queueMicrotask(() => process.nextTick(callback))
}
