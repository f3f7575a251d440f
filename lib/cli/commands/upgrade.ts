import { optional } from '../../object.ts'
import type { ApplicationStatus } from '../../reconcile/status/application/application-status.ts'
import type { StatusDocument } from '../../reconcile/status/status-document.ts'
import { knownName } from '../../text/unknown-name.ts'
import { confirmAlone } from '../ask.ts'
import { type Effect, say } from '../client/say.ts'
import { exitCode } from '../exit.ts'
import type { CommonFlags } from '../options/flags.ts'
import { oneEnvironment } from '../options/one-environment.ts'
import type { Output } from '../output/output.ts'
import { leftOutText } from '../text/left-out.ts'
import { knownSites } from '../text/on-sites.ts'
import { backText, deletedText, namedOnce } from '../text/upgrade-text.ts'
import { environmentsOf, meantBy } from './status.ts'

export type UpgradeFlags = CommonFlags & { readonly site?: readonly string[]; readonly message?: string }

/** Has versions that wait for their window installed now. Asks first. */
export async function forceUpgrade(
  output: Output,
  flags: UpgradeFlags & { readonly yes?: boolean },
  application?: string,
  version?: string,
): Promise<number> {
  if (flags.yes !== true) {
    const waiting = await waitingIn(flags, application)
    if (!output.interactive) {
      output.note(
        'This upgrades outside of the windows, and there is no terminal to ask on. Nothing was changed; confirm with --yes.',
      )
      return exitCode.confirmationNeeded
    }
    output.text(waiting.length === 0 ? [nothingWaits] : waiting.map(one => `  ${waitingText(one)}`))
    if (waiting.length === 0) return exitCode.done
    if (!(await confirmAlone(output, 'Upgrade outside of the windows? Only "yes" is accepted:'))) {
      output.note('Nothing was done.')
      return exitCode.confirmationNeeded
    }
  }
  const heed = async () => (await import('../../answers/upgrade.ts')).forceUpgrade
  const given = givenBy(flags, application, version)
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

/** Fails with `wrong-usage` if nobody knows the application or the site, so that nobody is asked about a misspelling. */
async function waitingIn(
  flags: UpgradeFlags,
  application: string | undefined,
): Promise<readonly ApplicationStatus[]> {
  const { environments } = await environmentsOf(flags)
  const meant = meantBy(flags, environments)
  const all = meant.flatMap(({ applications }) => applications)
  if (application !== undefined) knownName('application', application, namesIn(meant))
  const sites = meant.flatMap(one => [...knownSites(one)])
  const named = flags.site?.map(name => knownName('site', name, sites))
  return all
    .filter(one => one.queue !== undefined)
    .filter(one => (application ?? one.application) === one.application)
    .filter(({ site }) => named?.includes(site) ?? true)
}

/** An application whose deployment means no site of now has no row, and is known all the same. */
function namesIn(environments: readonly StatusDocument[]): readonly string[] {
  return environments.flatMap(({ applications, deployments = [] }) =>
    [...applications, ...deployments].map(({ application }) => application),
  )
}

function waitingText({ application, site, version, queue = [], code, reason }: ApplicationStatus): string {
  const way = code === 'no-upgrade-path' ? `, which would not be installed: ${reason}` : ''
  return `${application} on ${site}: ${version} → ${queue.at(-1)?.version ?? ''}${way}`
}
