import type { Text } from '../../state/secret.ts'

/** How an image that follows the contract is run: the word it gets as its command (P3). */
export type Phase = 'deploy' | 'serve' | 'test'

/**
 * Of everything an application is told, what a phase is told: how many workers is for serve alone (P21), and what has
 * the word DEPLOY in its name for deploy alone (P22). All else is the same in all phases (P23).
 */
export function tellPhase(
  phase: Phase,
  told: Readonly<Record<string, Text>>,
): Readonly<Record<string, Text>> {
  return Object.fromEntries(Object.entries(told).filter(([name]) => isFor(phase, name)))
}

function isFor(phase: Phase, name: string): boolean {
  if (name === 'WEB_CONCURRENCY' || name === 'WORKER_CONCURRENCY') return phase === 'serve'
  return phase === 'deploy' || !name.includes('DEPLOY')
}
