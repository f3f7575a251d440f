import { giveBackMachine } from './env.ts'

/** Runs once after all tests of a mocha process. */
export async function mochaGlobalTeardown(): Promise<void> {
  await giveBackMachine()
}
