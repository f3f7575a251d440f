import {
  comingIn,
  type NoWay,
  noWaysTo,
  versionsOnSites,
  versionWanted,
  withEntry,
} from '../../../answers/version/no-way.ts'
import { Failure } from '../../../errors.ts'
import type { Journal } from '../../../journal/journal.ts'
import { sitesInWords } from '../../../plan/text/by-site.ts'
import type { Proposal } from '../../../revert-commit/propose.ts'
import type { Application } from '../../../state/application/application.ts'
import { type DesiredState, variantFor } from '../../../state/application/desired.ts'
import { ingressName } from '../../../state/application/ingress/route.ts'

/** An application that would stay as it is although a commit goes back, and where; no site: wherever that version runs. */
export type StaysAsItIs = { readonly application: string; readonly reason: string; readonly site?: string }

/**
 * Returns where nothing comes of a commit that goes back, because `upgrade-from` of what it brings does not allow what is
 * there (A42), as far as the journal knows what is there. If it knows nothing of an application, what the manifests want
 * now counts as being there. Asks no engine and no daemon.
 */
export function staysAsItIs(
  journal: Journal,
  environment: string,
  { told, before, after }: Pick<Proposal, 'told' | 'before' | 'after'>,
): readonly StaysAsItIs[] {
  // What does not go back is not what somebody has to know of before the commit.
  const goesBack = (name: string) =>
    before === undefined || versionWanted(before, name) !== versionWanted(after, name)
  const isMeant = ({ name }: Application) =>
    name !== ingressName && (told.application === undefined ? goesBack(name) : name === told.application)
  return after.applications.filter(isMeant).flatMap(({ name: application }): readonly StaysAsItIs[] => {
    const entries = journal.versionEntries(environment, application)
    const waysOf = (state: DesiredState, sites: Parameters<typeof noWaysTo>[2]): readonly NoWay[] => {
      const coming = comingIn(journal, environment, state, application)
      return coming === undefined ? [] : noWaysTo(coming, withEntry(entries, coming.version), sites)
    }
    const seen = versionsOnSites(journal, environment, application)
    if (seen.length > 0)
      return seen.flatMap(one =>
        waysOf(variantFor(after, one.site), [one]).map(noWay => ({ application, ...noWay })),
      )
    const present = before && versionWanted(before, application)
    const manifests = present === undefined ? [] : [{ site: '', version: present }]
    return waysOf(after, manifests).map(({ reason }) => ({ application, reason }))
  })
}

/** Fails with `no-upgrade-path` if an application that goes back would stay as it is on every site that was seen. */
export function refuseNoWay(
  journal: Journal,
  environment: string,
  { application }: Proposal['told'],
  staying: readonly StaysAsItIs[],
): void {
  if (application === undefined || staying.some(({ site }) => site === undefined)) return
  if (staying.length === 0 || staying.length < versionsOnSites(journal, environment, application).length)
    return
  throw new Failure(
    'no-upgrade-path',
    `${application} would stay as it is: ${stayingTexts(staying).join('; ')}`,
    {
      hint: 'Name another version with --to, or add an entry to "upgrade-from" of that version by hand. To get the commit all the same, use --patch.',
    },
  )
}

/** Says where what stays as it is, each reason once. */
export function stayingTexts(staying: readonly StaysAsItIs[]): readonly string[] {
  const alike = Map.groupBy(staying, ({ application, reason }) => `${application}: ${reason}`)
  return [...alike].map(([text, where]) => {
    const sites = where.flatMap(({ site }) => site ?? [])
    return sites.length === 0 ? `${text}, wherever that version runs` : `${text}, on ${sitesInWords(sites)}`
  })
}
