import type { Windows } from '../../state/fleet/window.ts'
import type { WindowState } from './window.ts'

/** Tells of upgrade windows whether they are open. What tells the time in zones is loaded where there are windows only. */
export type WindowClock = {
  /** Has to be waited for before it is asked about sites that have windows. */
  load(sites: readonly { readonly windows?: Windows }[]): Promise<void>
  at(windows: Windows, atMs: number): WindowState
}

/** Creates a clock that has loaded nothing: to it, all windows are open. */
export function createWindowClock(): WindowClock {
  let windowAt: typeof import('./window.ts').windowAt | undefined
  return {
    async load(sites) {
      if (sites.some(({ windows }) => windows !== undefined))
        windowAt ??= (await import('./window.ts')).windowAt
    },
    at: (windows, atMs) => windowAt?.(windows, atMs) ?? { isOpen: true },
  }
}
