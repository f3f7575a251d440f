import type { LiveContainer } from './live.ts'

/**
 * Whether it was started at least once. One that was only created may have been left before everything was put into it,
 * and nothing else shows whether it was.
 */
export function hasRun({ state }: Pick<LiveContainer, 'state'>): boolean {
  return state !== 'created'
}
