import type { Program } from './process.ts'

/** Runs until it is told to stop, and then exits 0 at once, or with another code after a while. */
export function staysUp(code = 0, stopsAfterMs = 0): Program {
  return function* (around) {
    around.onTerm(function* () {
      yield { sleepsMs: stopsAfterMs }
      return code
    })
    yield { stays: true }
    return 0
  }
}

/** Says something, and exits after a while. It ignores SIGTERM. */
export function exitsWith(code: number, afterMs = 0, says = ''): Program {
  return function* () {
    if (says !== '') yield { says: `${says}\n` }
    yield { sleepsMs: afterMs }
    return code
  }
}

/** A health check that passes once the container has run for a while. */
export function healthyAfter(ms: number): Program {
  return function* ({ runningMs }) {
    if (runningMs >= ms) return 0
    yield { says: `needs ${ms - runningMs} ms more\n` }
    return 1
  }
}
