import { config } from 'chai'
import type { Runner, Test } from 'mocha'
import { giveBackMachine } from './env.ts'
import { endShared } from './shared-until-end.ts'

/** How a mocha process ended; sent to the process that started it, if that listens. */
export type Counts = {
  readonly passed: number
  readonly skipped: number
  /** A text for each test that failed: its whole title, and why. */
  readonly failed: readonly string[]
}

const failed: string[] = []

// What a list that should be empty has in it is why it is not: nothing of it is left out.
config.truncateThreshold = 0

/** Runs once before all tests: the first Ctrl-C ends the test that runs, so that it gives back what it took. */
export function mochaGlobalSetup(this: Runner): void {
  this.on('fail', (test: Test, error: Error) => failed.push(`${test.fullTitle()}\n    ${said(error)}`))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => this.abort())
}

/** Runs once after all tests of a mocha process. */
export async function mochaGlobalTeardown(this: Runner): Promise<void> {
  await endShared()
  await giveBackMachine()
  const { passes, pending } = this.stats ?? { passes: 0, pending: 0 }
  const counts: Counts = { passed: passes, failed, skipped: pending }
  const { promise: sent, resolve } = Promise.withResolvers<unknown>()
  if (process.send === undefined) return
  process.send(counts, resolve)
  await sent
}

/** A test that failed may leave behind what cannot be removed; why it failed comes first. */
function said(error: unknown): string {
  if (error instanceof SuppressedError) return `${said(error.suppressed)}\n    ${said(error.error)}`
  return error instanceof Error ? error.message : String(error)
}
