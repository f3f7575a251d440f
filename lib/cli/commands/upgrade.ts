import { optional } from '../../object.ts'
import { confirmAlone } from '../ask.ts'
import { type Effect, say } from '../client/say.ts'
import { exitCode } from '../exit.ts'
import type { CommonFlags } from '../options/flags.ts'
import { oneEnvironment } from '../options/one-environment.ts'
import type { Output } from '../output/output.ts'
import { leftOutText } from '../text/left-out.ts'
import { backText, deletedText, namedOnce, questionLines } from '../text/upgrade-text.ts'

export type UpgradeFlags = CommonFlags & { readonly site?: readonly string[]; readonly message?: string }

/** Has versions that wait for their window installed now. Asks first. */
export async function forceUpgrade(
  output: Output,
  flags: UpgradeFlags & { readonly yes?: boolean },
  application?: string,
  version?: string,
): Promise<number> {
  const given = givenBy(flags, application, version)
  const code = flags.yes === true ? undefined : await askFirst(output, flags, given)
  if (code !== undefined) return code
  const heed = async () => (await import('../../answers/upgrade.ts')).forceUpgrade
  const answer = await say(
    output,
    flags,
    { path: '/api/v1/force-upgrade', heed, effect: said => effectOf(said.forced) },
    given,
  )
  const { forced, left } = answer
  if (output.json) output.document(answer)
  else
    output.text([
      `${
        forced.length === 0
          ? nothingWaits
          : `Forced ${namedOnce(forced)}: no upgrade window is waited for. Whatever else it waits for, it still does.`
      }${leftOutText(left)}`,
    ])
  return exitCode.done
}

/** Deletes a version that waits, so that what runs stays until a newer one comes. */
export async function deleteUpgrade(
  output: Output,
  flags: UpgradeFlags,
  application = '',
  version?: string,
): Promise<number> {
  const heed = async () => (await import('../../answers/upgrade.ts')).deleteUpgrade
  const given = givenBy(flags, application, version)
  const answer = await say(
    output,
    flags,
    { path: '/api/v1/delete-upgrade', heed, effect: said => effectOf(said.deleted) },
    given,
  )
  const { deleted, left } = answer
  if (output.json) output.document(answer)
  else
    output.text([
      `${deleted.length === 0 ? nothingWaits : deletedText(deleted)}${leftOutText(left)}`,
      ...(deleted.length === 0
        ? []
        : [backText(deleted, { sites: flags.site, environment: given.environment })]),
    ])
  return exitCode.done
}

const nothingWaits = 'No upgrade waits.'

function effectOf(upgrades: readonly unknown[]): Effect {
  return upgrades.length === 0 ? 'none' : 'with the next pass'
}

function givenBy(flags: UpgradeFlags, application: string | undefined, version: string | undefined) {
  return {
    ...optional('environment', oneEnvironment(flags)),
    ...optional('application', application),
    ...optional('version', version),
    ...optional('site', flags.site && [...flags.site]),
    ...optional('message', flags.message),
  }
}

/**
 * Asks about what would be forced, as the answer itself judges it (G13). Returns how the command ends; undefined: somebody
 * said yes.
 */
async function askFirst(
  output: Output,
  flags: UpgradeFlags,
  given: ReturnType<typeof givenBy>,
): Promise<number | undefined> {
  const heed = async () => (await import('../../answers/upgrade.ts')).wouldForce
  const path = '/api/v1/force-upgrade/question'
  const question = await say(output, flags, { path, heed, effect: () => 'asked' }, given)
  const { wouldForce, left } = question
  if (output.json) output.document({ ...question, forced: [] })
  else if (wouldForce.length === 0) output.text([`${nothingWaits}${leftOutText(left)}`])
  else output.text(questionLines(question))
  if (wouldForce.length === 0) return exitCode.done
  if (!output.interactive) {
    output.note(
      'This upgrades outside of the windows, and there is no terminal to ask on. Nothing was changed; confirm with --yes.',
    )
    return exitCode.confirmationNeeded
  }
  if (await confirmAlone(output, 'Upgrade outside of the windows? Only "yes" is accepted:')) return undefined
  output.note('Nothing was done.')
  return exitCode.failed
}
