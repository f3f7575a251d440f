import { brief } from '../../plan/text/brief.ts'
import type { Line } from '../../plan/text/line.ts'
import { unusedSwarmWords } from '../../plan/warning/unused-swarm.ts'
import type { SiteDocument } from '../../reconcile/status/site/site-document.ts'
import type { WindowDocument } from '../../reconcile/status/site/site-windows.ts'
import { withoutSite } from '../../text/sites/without-site.ts'
import { table } from '../output/table.ts'

/** Returns all sites for people: a table, and below it why sites are unreachable or wrong. */
export function siteLines(sites: readonly SiteDocument[]): readonly Line[] {
  if (sites.length === 0) return ['No site is configured.']
  const hasWindows = sites.some(({ windows }) => windows !== undefined)
  const rows = sites.map(site => [
    site.name || '(the configuration)',
    stateText(site),
    site.engine ?? '',
    site.environments?.join(', ') ?? 'all',
    site.endpoint ?? '',
    Object.entries(site.labels)
      .filter(([name]) => name !== 'system/name')
      .map(([name, value]) => `${name}=${value}`)
      .join(' '),
    ...(hasWindows ? [windowsText(site.windows)] : []),
    site.file ?? '',
  ])
  const windows = hasWindows ? ['upgrade windows'] : []
  return [
    ...table(['site', 'state', 'engine', 'environments', 'endpoint', 'labels', ...windows, 'from'], rows),
    ...sites.flatMap(troubleLines),
  ]
}

/** Returns `Monday, Tuesday 02:00 Europe/Oslo for 3h`; of two parties, both of whose windows have to be open, each. */
function windowsText(
  { provider, owner }: NonNullable<SiteDocument['windows']> = { provider: [], owner: [] },
) {
  const texts = (of: typeof provider) => of.map(windowText).join('; ')
  if (provider.length === 0 || owner.length === 0) return texts([...provider, ...owner])
  return `provider: ${texts(provider)} | owner: ${texts(owner)}`
}

function windowText({ daysOfWeek, startTime, timezone, duration }: WindowDocument): string {
  return `${daysOfWeek?.join(', ') ?? 'every day'} ${startTime} ${timezone} for ${duration}`
}

function stateText({ state, since, next, error, problems }: SiteDocument): string {
  const kept = problems === undefined || state === 'wrong' ? '' : '; its file is wrong, and not used'
  const from = since === undefined ? '' : ` since ${since}`
  if (state === 'removed') return 'no longer configured; what runs there stays'
  if (state === 'reachable' && error !== undefined) return `${state}, but not served${kept}`
  return `${state}${from}${next === undefined ? '' : `, next try ${next}`}${kept}`
}

function troubleLines({
  name,
  error,
  problems = [],
  managesSwarm,
  managers = [],
}: SiteDocument): readonly Line[] {
  const unused = managesSwarm === true ? unusedLines(name) : []
  const silent =
    error === undefined
      ? []
      : [`${name}: ${brief(withoutSite(error.message, name))} (${error.code})`, `  hint: ${error.hint}`]
  return [...silent, ...managerLines(name, managers), ...problems, ...unused]
}

/** Says which of the managers of a Swarm is asked, if that is not the first, and why others are not. */
function managerLines(site: string, managers: NonNullable<SiteDocument['managers']>): readonly Line[] {
  if (managers.every(({ why }) => why === undefined)) return []
  return managers.flatMap(({ endpoint = 'the endpoint of this machine', isAsked, why }) => {
    if (why !== undefined) return [`${site}: ${endpoint} is not asked: ${brief(why)}`]
    return isAsked ? [`${site}: ${endpoint} is asked`] : []
  })
}

function unusedLines(site: string): readonly Line[] {
  const [said, hint] = unusedSwarmWords(site)
  return [said, `  hint: ${hint}`]
}
