import { mock } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { hangsAfterMs } from './hangs.ts'

/** Lets everything go on that needs no time to pass, while `setTimeout` is mocked, until something is so. */
export async function untilSo(isSo: () => boolean): Promise<void> {
  // Modules are loaded meanwhile, which takes its time on a busy machine.
  const endMs = performance.now() + hangsAfterMs
  while (!isSo()) {
    if (performance.now() > endMs) throw new Error(`not so: ${isSo}`)
    mock.timers.tick(0)
    await turn()
  }
}
