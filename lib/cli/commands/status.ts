import { posix } from 'node:path'
import { timeOfDayMs } from '../../clock.ts'
import { Failure } from '../../errors.ts'
import { blocks } from '../../plan/text/line.ts'
import type { IngressesDocument, StatusDocument } from '../../reconcile/status/status-document.ts'
import { isMeant } from '../../state/identity.ts'
import { knownName } from '../../text/suggestion/unknown-name.ts'
import { createClient } from '../client/client.ts'
import { exitCode } from '../exit.ts'
import type { CommonFlags } from '../options/flags.ts'
import { controlSocketOf, localConfig, stateDirOf } from '../options/state-dir.ts'
import { inEnvironment } from '../output/in-environment.ts'
import { type Output, reportErrors, sayOrigin } from '../output/output.ts'
import { onSites } from '../text/status/on-sites.ts'
import { statusLines } from '../text/status/status-text.ts'

/**
 * Prints what the daemon last saw: sync and health of each application, and why (G13). Without a daemon it prints what
 * the journal last recorded, and the exit code says that this is not current. JSON contains all sites.
 */
export async function status(
  output: Output,
  flags: CommonFlags & { readonly site?: readonly string[]; readonly all?: boolean },
): Promise<number> {
  const { environments, failure } = await environmentsOf(flags)
  const asked = meantBy(flags, environments)
  const shown = flags.site === undefined ? asked : onSites(asked, flags.site)
  const every = flags.all === true || flags.site !== undefined
  const [origin] = asked.flatMap(({ configuration }) => configuration ?? [])
  if (origin !== undefined) sayOrigin(output, origin)
  else if (flags.server === undefined) sayOrigin(output, localConfig(flags).origin)
  if (output.json) output.document(asked)
  else {
    const lines = (one: StatusDocument) =>
      inEnvironment(one.environment, environments.length, statusLines(one, timeOfDayMs(), every))
    output.text(blocks(...shown.map(lines)))
  }
  if (failure === undefined) return exitCode.done
  reportErrors(output, [failure])
  return exitCode.failed
}

/** What is known of the environments. `failure`: why the daemon does not say it. */
export type KnownEnvironments = {
  readonly environments: readonly StatusDocument[]
  readonly failure?: Failure
}

/** Returns what is known of all environments, or, if no daemon answers, what was known last, and why. */
export async function environmentsOf(flags: CommonFlags): Promise<KnownEnvironments> {
  const client = createClient(controlSocketOf(flags))
  try {
    const [environments, ingress] = (await Promise.all([
      client.get('/api/v1/environments'),
      client.get('/api/v1/ingress'),
    ])) as [readonly Omit<StatusDocument, 'ingress'>[], readonly IngressesDocument[]]
    const sitesOf = (name: string) => ingress.find(({ environment }) => environment === name)?.sites ?? []
    return { environments: environments.map(one => ({ ...one, ingress: sitesOf(one.environment) })) }
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'daemon-unreachable') throw error
    // With another socket, the local journal does not belong to that daemon.
    const environments = flags.server === undefined ? await known(stateDirOf(flags)) : []
    if (environments.length === 0) throw error
    return { environments, failure: error }
  }
}

/** Loads the journal only if no daemon answers. */
async function known(stateDir: string): Promise<readonly StatusDocument[]> {
  const { knownStatus } = await import('../client/known-status.ts')
  return knownStatus(stateDir)
}

/** Returns the environments that the flags name, or all. Fails with `wrong-usage`. */
export function meantBy(
  { environment: named }: CommonFlags,
  environments: readonly StatusDocument[],
): readonly StatusDocument[] {
  const names = environments.map(({ environment }) => environment)
  const wanted =
    named?.map(written => calledAmong(environments, written) ?? knownName('environment', written, names)) ??
    names
  return environments.filter(({ environment }) => wanted.includes(environment))
}

/** Returns the name of the only environment that a person means by its name or its directory. */
function calledAmong(environments: readonly StatusDocument[], written: string): string | undefined {
  const [only, ...others] = environments.filter(
    ({ environment, directory = environment }) =>
      written === environment || isMeant({ name: posix.basename(directory), directory }, written),
  )
  return others.length === 0 ? only?.environment : undefined
}
