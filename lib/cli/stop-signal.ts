import { Failure } from '../errors.ts'

/**
 * Returns a signal that is aborted by the first Ctrl-C or SIGTERM, or by `stop`. A second Ctrl-C or SIGTERM ends the
 * process at once.
 */
export function stopSignal(): { readonly signal: AbortSignal; stop(): void; release(): void } {
  const controller = new AbortController()
  const stop = () => controller.abort(new Failure('interrupted', 'stopped before it was done'))
  const onSignal = () => {
    if (controller.signal.aborted) process.exit(130)
    stop()
  }
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal)
  return {
    signal: controller.signal,
    stop,
    release: () => {
      process.off('SIGINT', onSignal).off('SIGTERM', onSignal)
    },
  }
}
