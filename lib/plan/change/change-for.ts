import { optional } from '../../object.ts'
import type { Job, Service } from '../../state/application/application.ts'
import type { DesiredState } from '../../state/application/desired.ts'
import type { Route } from '../../state/application/ingress/route.ts'
import { gatesOf } from '../../state/application/ingress/traffic.ts'
import { hashOf } from '../../state/canonical.ts'
import type { Difference } from '../compare/diff.ts'
import type { FieldChange } from '../compare/field/field-change.ts'
import type { InstanceSpecification } from '../compare/field/fields.ts'
import { deploysOf, prepareJob } from '../compare/job.ts'
import { orphanedReason } from '../compare/orphaned.ts'
import { checkSteps, networkSteps, prepareSteps, pullSteps, reachedSteps } from '../compare/prepare.ts'
import { ownHold, type Rules } from '../hold/hold.ts'
import type { SiteResources } from '../resources.ts'
import { choose } from '../rollout/choose.ts'
import { midway } from '../rollout/early.ts'
import { interruptedReason, putBackReason, restore } from '../rollout/restore.ts'
import { renewed } from '../rollout/stage/mend.ts'
import { renameSteps } from '../rollout/stage/rename-steps.ts'
import { type Step, stepsOf } from '../step/step.ts'
import { jobText } from '../text/jobs-text.ts'
import { asIsChange } from './as-is.ts'
import { type Aim, beforeTarget, type Change, type Course, type Explanation, type Held } from './change.ts'
import { isForTheOperator, waiting } from './external.ts'
import {
  brokenText,
  faultText,
  instanceLines,
  putBackLines,
  restoreLines,
  surplusText,
} from './instance-lines.ts'
import type { Keep } from './keep-before.ts'
import { otherVolumes, withOtherVolumes } from './other-volumes.ts'
import { type Shown, shownOf } from './shown.ts'

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
  if (isForTheOperator(difference)) return waiting(difference, hold)
  const { site, application, service, kind, target, release, applicationRelease } = difference
  const putBack =
    input.restores !== false && isOfFailure(hold) && !hold.isFinal && difference.declared
      ? restore(difference, difference.declared.service)
      : undefined
  const { action, rollout } = putBack
    ? { action: 'start' as const, rollout: putBack.rollout }
    : choose(difference)
  const { fields, whole, pods }: Shown = putBack ? { fields: [] } : shownOf(difference, input)
  const begun = putBack ? undefined : begunVersion(difference, input.rules)
  const why = begun === undefined ? wholeReason(difference, fields) : begunReason(begun)
  const prepare = putBack ? [] : prepareOf(midway(difference), input.resources)
  const others = kind === 'drifted' ? otherVolumes(difference, prepare) : {}
  const reason = putBack ? rollout.strategyReason : withOtherVolumes(why, others)
  return {
    site,
    application,
    service,
    action,
    cause: putBack ? 'drifted' : kind,
    reason,
    instances: difference.matched.length + difference.missing.length || difference.surplus.length,
    lines: putBack ? restoreLines(service, putBack) : instanceLines(difference, reason),
    fields,
    ...(whole === undefined ? {} : { whole }),
    ...optional('pods', pods),
    ...rollout,
    target: putBack ? beforeTarget(target) : target,
    release,
    ...(applicationRelease === undefined ? {} : { applicationRelease }),
    jobs: putBack || !difference.isRollout || difference.areJobsDone ? [] : jobsOf(difference),
    prepare,
    ...others,
    ...(putBack ? {} : deployingOf(difference)),
    ...(putBack ? {} : walkOf(difference, input.rules)),
    ...(begun === undefined ? {} : { isBegun: true as const }),
    ...(difference.isHalfway && kind === 'drifted' ? { isWayBack: true as const } : {}),
    ...deadlineOf(difference),
    after: [],
    ...(difference.isSpecificationGone && !putBack ? { isSpecificationGone: true as const } : {}),
    ...(hold === undefined || putBack ? {} : { held: hold }),
  }
}

function walkOf({ application, kind }: Difference, { upgrades }: Rules): Pick<Explanation, 'walk'> {
  const isStep = kind === 'missing' || kind === 'diverged'
  return isStep ? optional('walk', upgrades?.get(application)?.walk) : {}
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
export function keepChange({ difference, attempted, isInterrupted, asIs }: Keep, input: ChangeInput): Change {
  if (asIs !== undefined) {
    const hold = ownHold(input.desired, difference, input.rules, 'drifted')
    return asIsChange(difference, asIs, isOfFailure(hold) && !hold.isFinal ? undefined : hold)
  }
  const hold = ownHold(input.desired, difference, input.rules)
  if (attempted === undefined) return changeFor(difference, hold, input)
  const {
    held: _,
    whole: __,
    pods: ___,
    isBegun: ____,
    isSpecificationGone: _____,
    ...change
  } = changeFor(difference, undefined, input)
  const others = otherVolumes(difference, change.prepare)
  return {
    ...change,
    ...others,
    action: 'start',
    cause: 'drifted',
    reason: withOtherVolumes(isInterrupted ? interruptedReason : putBackReason, others),
    lines: putBackLines(difference),
    fields: [],
    target: beforeTarget(attempted),
    undo: [],
    ...(hold?.code === 'suspended' ? { held: hold } : {}),
  }
}

function deployingOf({ isRollout, jobs }: Difference): Pick<Aim, 'deploys'> {
  const deploys = isRollout ? deploysOf(jobs.map(({ job }) => job)) : []
  return deploys.length === 0 ? {} : { deploys }
}

function deadlineOf({ declared, isRollout }: Difference): Pick<Course, 'deadlineMs'> {
  const deadlineMs = declared?.service.strategy.deadlineMs
  return isRollout && deadlineMs !== undefined ? { deadlineMs } : {}
}

/**
 * Returns the steps that pull missing images, create missing networks and volumes, and rename what has another
 * container's name, each once.
 */
function prepareOf(difference: Difference, there: SiteResources): readonly Step[] {
  const { kind, application, service, declared, matched, missing, surplus } = difference
  const { faults, isRollout, jobs } = difference
  const seen = new Set<string>()
  const networks = faults.flatMap(({ what, wanted }) =>
    what.is === 'detached'
      ? networkSteps(what.network)
      : what.is === 'unreached'
        ? reachedSteps(wanted.instance)
        : [],
  )
  const ofJobs = isRollout ? jobs.flatMap(prepareJob) : []
  const isToReach = missing.length + faults.length > 0
  const gates = declared !== undefined && isToReach ? gateSteps(declared.service) : []
  const renames = renameSteps([...matched.map(({ live }) => live), ...surplus])
  // Equal instances need the same.
  const distinct = [...new Map(missing.map(wanted => [wanted.instance, wanted])).values()]
  const anew = renewed(faults).map(({ spec }) => spec)
  const ofApps = [...anew.flatMap(pullSteps), ...checkSteps(anew, [], `${application}/${service}`)]
  const steps = [...distinct.flatMap(prepareSteps), ...ofApps, ...ofJobs, ...networks, ...gates, ...renames]
  const had = surplus.flatMap(({ containers }) => containers.map(({ digest }) => digest))
  const unneeded = new Set<Step>([
    // Nodes of a Swarm have what they ran, and keep it through an outage of the registry.
    ...stepsOf(steps, 'find-image').filter(({ digest }) => kind === 'drifted' || had.includes(digest)),
    ...stepsOf(steps, 'create-network').filter(({ network }) => there.networks.includes(network.name)),
    ...stepsOf(steps, 'create-volume').filter(({ volume }) => there.volumes.includes(volume.name)),
  ])
  return steps.filter(step => {
    if (unneeded.has(step)) return false
    const key = hashOf(step)
    return !seen.has(key) && seen.add(key)
  })
}

/**
 * Returns the steps for the networks of the ingress. A network that cannot be made concerns only its application: the
 * ingress reaches the others all the same.
 */
function gateSteps({ traffic }: Service): readonly Step[] {
  return gatesOf(traffic).flatMap(network =>
    traffic?.role === 'proxy'
      ? [{ do: 'create-network' as const, network, ifRoom: true as const }]
      : networkSteps(network),
  )
}

function wholeReason(difference: Difference, fields: readonly FieldChange[]): string {
  if (difference.kind === 'orphaned') return orphanedReason(difference)
  const reason = reasonOf(difference, fields)
  return difference.isSpecificationGone ? `its specification is gone; ${reason}` : reason
}

/** Returns the reason in one phrase: the fields that differ, or what happened. */
function reasonOf(difference: Difference, fields: readonly FieldChange[]): string {
  const { kind, faults, missing, surplus, declared, target, isRollout, isInterrupted } = difference
  if (target === 'absent') return 'no instances wanted'
  if (missing.length + surplus.length + faults.length === 0)
    return isRollout || isInterrupted
      ? 'its rollout was interrupted'
      : 'left over from an interrupted rollout'
  if (kind === 'missing') return 'not deployed yet'
  const own = fields.filter(({ path }) => !path.startsWith('routes'))
  if (own.length > 0)
    return [...new Set(own.map(({ path }) => topField(path, declared?.service.name ?? '')))].join(', ')
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
