import type { Line } from '../../plan/text/line.ts'
import type { VersionList } from '../../reconcile/status/version-list.ts'
import { shortCommit } from '../../state/repository/revision.ts'
import { timeText } from '../../text/time.ts'
import { table } from '../output/table.ts'
import { heldText } from './held-text.ts'

/** Returns the versions of an application for people. */
export function versionLines(list: VersionList): readonly Line[] {
  const { application, environment, versions, others, held, isNamed } = list
  const rows = [
    ...versions.map(({ version, commit, since, sites, hasOnlyFailed, ended, isLeft }) => [
      version,
      shortCommit(commit),
      timeText(Date.parse(since)),
      [
        stateOf(list, version, commit),
        ended ?? (hasOnlyFailed === true ? 'failed' : ''),
        isLeft === true ? 'gone back from' : '',
      ]
        .filter(Boolean)
        .join(', '),
      sites.map(site => (hasOnlyFailed === true ? `${site} (not as it is kept)` : site)).join(', '),
    ]),
    ...others.map(({ version, sites }) => [version, '', '', stateOfOther(list, version), sites.join(', ')]),
  ]
  return [
    `${application} in ${environment}`,
    ...(rows.length === 0 ? [] : table(['version', 'commit', 'wanted since', '', 'runs on'], rows)),
    ...(versions.length === 0 ? [noneText(list)] : []),
    ...absentText(list),
    ...(isNamed === false ? ['  neither the manifest nor a deployment names it any more'] : []),
    ...(held === undefined ? [] : [`  ${heldText({ ...held, application })}`]),
  ]
}

function noneText({ isOfDirectory }: VersionList): string {
  return isOfDirectory === true
    ? '  no version of it is kept: its manifests are in a directory, whose files cannot be read again as they were'
    : '  no version of it is kept yet'
}

/** It runs nowhere, and is not kept, as far as anybody knows. */
function absentText({ wanted, held, versions, others }: VersionList): readonly string[] {
  if (wanted === undefined || held !== undefined) return []
  if ([...versions, ...others].some(({ version }) => version === wanted)) return []
  return [`  ${wanted} is wanted, and cannot be installed; to see why: tallyman status`]
}

function stateOfOther({ wanted, held }: VersionList, version: string): string {
  return held === undefined && wanted === version ? 'wanted, not kept' : 'not kept'
}

function stateOf({ wanted, held }: VersionList, version: string, commit: string): string {
  if (held?.version === version && held.commit === commit) return 'held'
  return held === undefined && wanted === version ? 'wanted' : ''
}
