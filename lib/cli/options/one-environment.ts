import { Failure } from '../../errors.ts'
import type { CommonFlags } from './flags.ts'

/**
 * Returns the environment of a command that takes one at a time; undefined if none is named. Fails with `wrong-usage`
 * if there are several.
 */
export function oneEnvironment({ environment = [] }: CommonFlags): string | undefined {
  const [only, ...others] = environment
  if (others.length === 0) return only
  throw new Failure(
    'wrong-usage',
    `--environment is given ${environment.length} times; this takes one at a time`,
    { hint: 'Give --environment once.' },
  )
}
