import { optional } from '../../../object.ts'
import { shortCommit } from '../../../state/repository/revision.ts'
import { confirmAlone } from '../../ask.ts'
import { say } from '../../client/say.ts'
import type { CommonFlags, RollbackFlags } from '../../options/flags.ts'
import { oneEnvironment } from '../../options/one-environment.ts'
import type { Output } from '../../output/output.ts'
import { leftOutText } from '../../text/left-out.ts'

/**
 * Holds an application at a kept version. Where upgrade windows are closed, asks whether it is to go back outside of
 * them: what hurries does not wait for that answer on the other sites.
 */
export async function holdVersion(
  output: Output,
  flags: CommonFlags & RollbackFlags,
  application: string,
): Promise<void> {
  const heed = async () => (await import('../../../answers/rollback.ts')).rollback
  const { to, reason, outsideWindow } = flags
  const given = {
    ...optional('environment', oneEnvironment(flags)),
    application,
    ...optional('to', to),
    ...optional('reason', reason),
    ...optional('outsideWindow', outsideWindow),
  }
  const saying = { path: '/api/v1/rollback', heed }
  const answer = await say(output, flags, saying, given)
  const { version, commit, replaced, left, closed = [], noWay = [] } = answer
  const instead =
    replaced === undefined ? '' : ` It was held at version ${replaced.version} by ${replaced.who} before.`
  if (output.json) output.document(answer)
  else
    output.text([
      `${application} is held at version ${version} (${shortCommit(commit)}) until "tallyman resume ${application}".${instead} The next plan shows what changes, and is asked about like any other.${leftOutText(left)}`,
    ])
  if (!output.json)
    for (const { site, reason } of noWay) output.note(`${site} stays as it is (no-upgrade-path): ${reason}`)
  if (closed.length === 0 || output.json) return
  for (const { site, reason: why } of closed) output.note(`${site}: ${why}`)
  if (!output.interactive) {
    output.note(
      `There it waits. To go back there now: tallyman rollback ${application} --now --to ${version} --outside-window`,
    )
    return
  }
  if (!(await confirmAlone(output, 'Go back there now, outside of the windows? Only "yes" is accepted:'))) {
    output.note('There it waits for the window.')
    return
  }
  await say(output, flags, saying, { ...given, to: version, outsideWindow: true })
  output.text([`${application} goes back there now, too.`])
}
