/** How far ahead of ours the clock of an engine may be. */
const aheadMs = 60 * 60 * 1000

/**
 * Returns when something began, by the engine's clock. Undefined if that lies ahead by ours: the clock was set back
 * since then, and what happened after that moment cannot be distinguished from what happened before.
 */
export function credible(beganMs: number | undefined, nowMs: number): number | undefined {
  return beganMs === undefined || beganMs > nowMs + aheadMs ? undefined : beganMs
}
