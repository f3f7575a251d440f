import { Failure } from '../../../errors.ts'
import { exitCode } from '../../exit.ts'
import type { CommonFlags, RollbackFlags } from '../../options/flags.ts'
import type { Output } from '../../output/output.ts'

/**
 * Goes back to an earlier state: with a commit that is pushed, or with `--now` without one. What needs git is loaded
 * only for a commit. Returns the exit code.
 */
export async function rollback(
  output: Output,
  flags: CommonFlags & RollbackFlags,
  application?: string,
): Promise<number> {
  if (flags.message !== undefined && flags.reason !== undefined)
    throw new Failure('wrong-usage', '--message and --reason are one thing: give one of them')
  const reason = flags.message ?? flags.reason
  const said = { ...flags, ...(reason === undefined ? {} : { reason }) }
  if (flags.outsideWindow === true && flags.now !== true)
    throw new Failure(
      'wrong-usage',
      '--outside-window needs --now: a commit waits for the windows like any other',
    )
  if (flags.now !== true) return (await import('./revert.ts')).revert(output, said, application)
  if (application === undefined) throw new Failure('wrong-usage', '--now holds one application: name it')
  if (flags.patch !== undefined)
    throw new Failure('wrong-usage', '--now makes no commit, so there is nothing to write with --patch')
  if (flags.yes === true)
    throw new Failure(
      'wrong-usage',
      '--yes pushes a commit without asking, and --now makes none; to go back also where windows are closed, use --outside-window',
    )
  await (await import('./hold.ts')).holdVersion(output, said, application)
  return exitCode.done
}
