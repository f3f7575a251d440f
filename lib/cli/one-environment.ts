import { Failure } from '../errors.ts'
import type { CommonFlags } from './flags.ts'

/** The environment that a command is about which takes one at a time; undefined when none is named. */
export function oneEnvironment({ environment = [] }: CommonFlags): string | undefined {
  const [only, ...others] = environment
  if (others.length === 0) return only
  throw new Failure(
    'wrong-usage',
    `--environment is given ${environment.length} times; this takes one at a time`,
    { hint: 'Give --environment once.' },
  )
}
