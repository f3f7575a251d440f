/** How much further than ours the clock of an engine may be. */
const aheadMs = 60 * 60 * 1000

/**
 * When something began, by the engine's clock; undefined where that is yet to come by ours. The clock was put back since
 * then, and what happened after that moment can no longer be told from what happened before.
 */
export function credible(beganMs: number | undefined, nowMs: number): number | undefined {
  return beganMs === undefined || beganMs > nowMs + aheadMs ? undefined : beganMs
}
