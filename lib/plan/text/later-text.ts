import { defaultSite } from '../../state/site.ts'
import type { Change } from '../change/change.ts'
import type { LaterRelease } from '../change/walk.ts'
import { brief, shortened } from './brief.ts'
import { toldOnce } from './by-site.ts'
import { fieldLines, strategyText } from './change-text.ts'
import { indented, type Line, styled } from './line.ts'

type LaterVersion = {
  readonly site: string
  readonly application: string
  readonly version: string
  readonly releases: readonly LaterRelease[]
}

/**
 * Returns what the versions bring that come after the changes of a plan and are approved with them (X18); empty: none
 * does. Each is compared with what runs now.
 */
export function laterLines(
  changes: readonly Change[],
  verbose: boolean,
  inWords: (sites: readonly string[]) => string,
): readonly Line[] {
  const told = toldOnce(versionsIn(changes), one => versionLines(one, verbose), inWords)
  if (told.length === 0) return []
  const title = 'Afterwards, by the same approval, compared with what runs now:'
  return [styled('bold', title), ...told.flat()]
}

/** The changes of one application on a site have one way. */
function versionsIn(changes: readonly Change[]): readonly LaterVersion[] {
  const ways = Map.groupBy(changes, ({ site, application }) => JSON.stringify([site, application]))
  return [...ways.values()].flatMap(own => {
    // A removal beside it is no step on the way.
    const step = own.find(({ walk }) => walk !== undefined)
    if (step?.walk === undefined) return []
    const { site, application, walk } = step
    const versions = Map.groupBy(walk.later, ({ version }) => version)
    return [...versions].map(([version, releases]) => ({ site, application, version, releases }))
  })
}

const unknownHow = 'how it replaces the version before, and whether that can be noticed, is decided then'

function versionLines({ site, application, version, releases }: LaterVersion, verbose: boolean): Line[] {
  const where = site === defaultSite ? '' : ` on ${site}`
  const changed = releases.flatMap(({ fields, jobs }) => [...fields, ...jobs])
  const lines = releases.flatMap(({ service, fields, jobs, how }) => [
    styled('dim', `${service}: ${how === undefined ? unknownHow : strategyText(how)}`),
    ...fieldLines(fields, verbose),
    ...jobs.map(job => styled('dim', brief(`runs ${verbose ? job : shortened(job)}`))),
  ])
  const none = changed.length === 0 ? ['as what runs now'] : []
  return [`  ${application} ${version}${where}`, ...[...lines, ...none].map(line => indented(8, line))]
}
