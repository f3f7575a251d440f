import type { WaitingItem } from './needs-approval.ts'

/** How long an approval lasts at least on a site where something waits for its turn or its window (X18). */
const queuedMs = 30 * 24 * 60 * 60 * 1000

/** Returns when an approval of these changes of one site ends. */
export function approvalEndMs(
  items: readonly Pick<WaitingItem, 'isQueued'>[],
  atMs: number,
  expiresMs: number,
): number {
  return atMs + (items.some(({ isQueued }) => isQueued) ? Math.max(expiresMs, queuedMs) : expiresMs)
}
