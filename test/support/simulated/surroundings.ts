import type { Container, Daemon } from './container/container.ts'
import type { Surroundings } from './container/process.ts'

/** Returns what a program in a container sees of it now. */
export function surroundingsOf(daemon: Daemon, container: Container): Omit<Surroundings, 'onTerm'> {
  const { config, files, starts, state } = container
  return {
    env: Object.fromEntries(
      config.Env.filter(pair => pair.includes('=')).map(pair => [
        pair.slice(0, pair.indexOf('=')),
        pair.slice(pair.indexOf('=') + 1),
      ]),
    ),
    files,
    starts,
    runningMs: daemon.clock.nowMs() - (state.startedAt?.ms ?? daemon.clock.nowMs()),
  }
}
