import { optional } from '../../object.ts'
import type { Job } from '../../state/application/application.ts'
import type { DesiredState } from '../../state/application/desired.ts'
import type { Route } from '../../state/application/ingress/route.ts'
import type { DeclaredDifference, Difference } from '../compare/diff.ts'
import type { FieldChange } from '../compare/field/field-change.ts'
import type { InstanceSpecification } from '../compare/field/fields.ts'
import { deploysOf } from '../compare/job/wanted-jobs.ts'
import type { Orphan } from '../compare/orphaned.ts'
import type { Held } from '../hold/held.ts'
import { ownHold, type Rules } from '../hold/hold.ts'
import type { SiteResources } from '../resources.ts'
import { choose, removal } from '../rollout/choose.ts'
import { midway } from '../rollout/early.ts'
import { restore } from '../rollout/finish-undo.ts'
import { preparation } from '../rollout/preparation.ts'
import { jobText } from '../text/jobs-text.ts'
import { asIsChange } from './as-is.ts'
import type { Change, Delivery, Removal, Repair } from './change.ts'
import { isForTheOperator, waiting } from './for-the-operator.ts'
import { brokenText, faultText, instanceLines, surplusText } from './instance-lines.ts'
import type { Keep } from './keep-before.ts'
import { otherVolumes, withOtherVolumes } from './other-volumes.ts'
import { deadlineOf, endOfAttempt, endOfUndo } from './restoration.ts'
import { shownOf } from './shown.ts'

/** What a change is made from besides its difference. */
export type ChangeInput = {
  readonly desired: DesiredState
  /** What the site has; empty if nothing differs. */
  readonly resources: SiteResources
  /** Returns what a running instance was made from, by its fingerprint. */
  readonly specificationOf: (fingerprint: string) => InstanceSpecification | undefined
  readonly rules: Rules
  /**
   * Whether what failed before is restored as far as its old instances exist: false if more is known, so that it may be
   * kept as it was. It matters to nothing else.
   */
  readonly restores?: boolean
  /** The routes that the ingress loaded last. */
  readonly loaded?: readonly Route[]
}

/** Returns what to do about a difference, and why. With `hold`, nothing is done for now. */
export function changeFor(difference: Difference, hold: Held | undefined, input: ChangeInput): Change {
  if (difference.kind === 'orphaned') return removalOf(difference, hold, input)
  if (isForTheOperator(difference)) return waiting(difference, hold)
  const putBack =
    input.restores !== false && isOfFailure(hold) && !hold.isFinal
      ? restore(difference, difference.declared.service)
      : undefined
  return putBack ? endOfUndo(difference, putBack) : changeOfDeclared(difference, hold, input)
}

function removalOf(difference: Orphan, hold: Held | undefined, { resources, rules }: ChangeInput): Removal {
  const { site, application, service, reason: why, surplus, target, release } = difference
  const begun = begunVersion(difference, rules)
  const reason = begun === undefined ? why : begunReason(begun)
  return {
    ...{ site, application, service },
    action: 'remove',
    cause: 'orphaned',
    reason,
    instances: surplus.length,
    lines: instanceLines(difference, reason),
    fields: [],
    ...removal(difference, why),
    target,
    release,
    ...optional('applicationRelease', difference.applicationRelease),
    jobs: [],
    prepare: preparation(difference, resources),
    ...(begun === undefined ? {} : { isBegun: true }),
    after: [],
    ...(difference.isSpecificationGone ? { isSpecificationGone: true } : {}),
    ...optional('held', hold),
  }
}

function changeOfDeclared(
  difference: DeclaredDifference,
  hold: Held | undefined,
  input: ChangeInput,
): Delivery | Repair {
  const { site, application, service, kind, target, release, applicationRelease } = difference
  const { action, rollout } = choose(difference)
  const { fields, ...shown } = shownOf(difference, input)
  const begun = begunVersion(difference, input.rules)
  const why = begun === undefined ? wholeReason(difference, fields) : begunReason(begun)
  const prepare = preparation(midway(difference), input.resources)
  const others = kind === 'drifted' ? otherVolumes(difference, prepare) : {}
  const reason = withOtherVolumes(why, others)
  const change = {
    ...{ site, application, service, action, cause: kind, reason },
    instances: difference.matched.length + difference.missing.length || difference.surplus.length,
    lines: instanceLines(difference, reason),
    fields,
    ...shown,
    ...rollout,
    target,
    release,
    ...optional('applicationRelease', applicationRelease),
  }
  if (kind === 'drifted')
    return {
      ...change,
      cause: kind,
      jobs: [],
      prepare,
      ...others,
      ...(difference.isHalfway ? { isWayBack: true } : {}),
      after: [],
      ...optional('held', hold),
    }
  return {
    ...change,
    cause: kind,
    jobs: difference.isRollout && !difference.areJobsDone ? jobsOf(difference) : [],
    prepare,
    ...deployingOf(difference),
    ...optional('walk', input.rules.upgrades?.get(application)?.walk),
    ...(begun === undefined ? {} : { isBegun: true }),
    ...deadlineOf(difference),
    after: [],
    ...(difference.isSpecificationGone ? { isSpecificationGone: true } : {}),
    ...optional('held', hold),
  }
}

/** Returns the version that is completed before the wanted one comes. What is only repaired has been completed. */
function begunVersion({ application, kind }: Difference, { upgrades }: Rules): string | undefined {
  const next = upgrades?.get(application)
  return kind !== 'drifted' && next?.isBegun === true ? next.version : undefined
}

function begunReason(version: string): string {
  return `completes ${version === '' ? 'what' : `version ${version}, which`} was begun before`
}

/** Whether it is held because this very release failed before. */
export function isOfFailure(hold: Held | undefined): hold is Held {
  return hold?.code === 'quarantined' || hold?.code === 'barred'
}

/** Returns the change that restores what a service had before. It is no attempt, so it is not undone. */
export function keepChange(keep: Keep, input: ChangeInput): Change {
  const { difference, attempted, asIs } = keep
  if (asIs !== undefined) {
    const hold = ownHold(input.desired, difference, input.rules, 'drifted')
    return asIsChange(difference, asIs, isOfFailure(hold) && !hold.isFinal ? undefined : hold)
  }
  const hold = ownHold(input.desired, difference, input.rules)
  return attempted === undefined
    ? changeFor(difference, hold, input)
    : endOfAttempt(changeFor(difference, undefined, input), { ...keep, attempted }, hold)
}

function deployingOf({ isRollout, jobs }: DeclaredDifference): Pick<Delivery, 'deploys'> {
  const deploys = isRollout ? deploysOf(jobs.map(({ job }) => job)) : []
  return deploys.length === 0 ? {} : { deploys }
}

function wholeReason(difference: DeclaredDifference, fields: readonly FieldChange[]): string {
  const reason = reasonOf(difference, fields)
  return difference.isSpecificationGone ? `its specification is gone; ${reason}` : reason
}

/** Returns the reason in one phrase: the fields that differ, or what happened. */
function reasonOf(difference: DeclaredDifference, fields: readonly FieldChange[]): string {
  const { kind, faults, missing, surplus, declared, target, isRollout, isInterrupted } = difference
  if (target === 'absent') return 'no instances wanted'
  if (missing.length + surplus.length + faults.length === 0)
    return isRollout || isInterrupted
      ? 'its rollout was interrupted'
      : 'left over from an interrupted rollout'
  if (kind === 'missing') return 'not deployed yet'
  const own = fields.filter(({ path }) => !path.startsWith('routes'))
  if (own.length > 0)
    return [...new Set(own.map(({ path }) => topField(path, declared.service.name)))].join(', ')
  const broken = missing.map((wanted, index) => {
    const old = surplus[index]
    return old === undefined ? 'instances missing' : (brokenText(old, wanted, difference) ?? 'specification')
  })
  const words = [
    ...new Set([
      ...faults.map(faultText),
      ...broken,
      ...surplus.slice(missing.length).map(live => surplusText(live, difference)),
    ]),
  ]
  return words.join('; ')
}

function topField(path: string, service: string): string {
  return path.slice(service.length + 1).split('/')[0] || 'specification'
}

/** Returns what runs once, in the order in which it runs. */
export function jobsOf({ jobs }: Pick<Difference, 'jobs'>): readonly string[] {
  const stages: readonly Job['stage'][] = ['test', 'pre', 'deploy', 'mid', 'post']
  return stages.flatMap(stage => jobs.flatMap(({ job }) => (job.stage === stage ? [jobText(job)] : [])))
}
