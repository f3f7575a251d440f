import type { Runner } from 'mocha'
import { giveBackMachine } from './env.ts'

/** How a mocha process ended; sent to the process that started it, if that listens. */
export type Counts = { readonly passed: number; readonly failed: number; readonly skipped: number }

/** Runs once before all tests: the first Ctrl-C ends the test that runs, so that it gives back what it took. */
export function mochaGlobalSetup(this: Runner): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => this.abort())
}

/** Runs once after all tests of a mocha process. */
export async function mochaGlobalTeardown(this: Runner): Promise<void> {
  await giveBackMachine()
  const { passes, failures, pending } = this.stats ?? { passes: 0, failures: 0, pending: 0 }
  const counts: Counts = { passed: passes, failed: failures, skipped: pending }
  const { promise: sent, resolve } = Promise.withResolvers<unknown>()
  if (process.send === undefined) return
  process.send(counts, resolve)
  await sent
}
