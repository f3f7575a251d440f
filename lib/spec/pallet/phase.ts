import type { Text } from '../../state/secret/secret.ts'

/** How an image under the contract is run: the word that it gets as its command (P3). */
export type Phase = 'deploy' | 'serve' | 'test'

/**
 * Returns the variables of one phase. The numbers of workers are for `serve` only (P21), and variables with the word
 * DEPLOY in their names are for `deploy` only (P22). All others are the same in all phases (P23).
 */
export function tellPhase(
  phase: Phase,
  told: Readonly<Record<string, Text>>,
): Readonly<Record<string, Text>> {
  return Object.fromEntries(Object.entries(told).filter(([name]) => isFor(phase, name)))
}

function isFor(phase: Phase, name: string): boolean {
  if (name === 'WEB_CONCURRENCY' || name === 'WORKER_CONCURRENCY') return phase === 'serve'
  return phase === 'deploy' || !isForDeploy(name)
}

/** Whether only `deploy` gets a variable of this name (P22). */
export function isForDeploy(name: string): boolean {
  return name.includes('DEPLOY')
}
