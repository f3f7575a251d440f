import { versionOf } from '../../../state/application/version-of.ts'
import type { PassResult } from '../../site/result/pass-result.ts'
import type { DeploymentTurn } from '../turns.ts'

/** The run of a deployment, and how it stands. */
export type TurnRun = NonNullable<DeploymentTurn['run']>

/** What a pass found on a site. */
export type ResultOn = PassResult & { readonly site: string }

/** Returns the version that a run brings to a site, which may have one of its own (A72). */
export function versionFor({ apart }: DeploymentTurn, { of }: TurnRun, site: string): string {
  return apart?.get(site) ?? of.version
}

/**
 * Whether a pass went by what a run brings. One that went by another version, because that of the run was wanted only
 * since, says nothing about it. Neither does one that went by another content.
 */
export function isOfTurn(turn: DeploymentTurn, run: TurnRun, { site, desired, contents }: ResultOn): boolean {
  const { application } = turn.deployment
  const wanted = desired?.applications.find(({ name }) => name === application)
  const isOther = wanted !== undefined && versionOf(wanted) !== versionFor(turn, run, site)
  return !isOther && contents?.get(application) === turn.content
}

/** Whether nobody can tell what of an application is wanted on the site. */
export function isBlockedIn({ plan }: PassResult, application: string): boolean {
  return plan?.blocked.some(one => one.application === application) === true
}
