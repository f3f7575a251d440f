/** What SIGHUP asks for, from the moment that it is heeded. */
export type HangUp = {
  /** Calls `again` each time that it is asked for, and at once if it was asked for before. */
  onAsked(again: () => void): void
  release(): void
}

/**
 * Heeds SIGHUP as the wish to read something again, also before anybody can do so. In a terminal it means that this was
 * closed, which ends the process: there it is left alone.
 */
export function heedHangUp({ isTTY }: { readonly isTTY?: boolean }): HangUp {
  let again: (() => void) | undefined
  let isAsked = false
  const onSignal = () => {
    isAsked = true
    again?.()
  }
  if (isTTY !== true) process.on('SIGHUP', onSignal)
  return {
    onAsked(read) {
      again = read
      if (isAsked) read()
    },
    release: () => void process.off('SIGHUP', onSignal),
  }
}
