import { optional } from '../../../lib/object.ts'
import type { Change, Plan } from '../../../lib/plan/change/change.ts'
import type { Images } from '../../../lib/plan/change/clean-up/unneeded-images.ts'
import { keepsOf } from '../../../lib/plan/change/keep-before.ts'
import type { Comparison } from '../../../lib/plan/compare/comparison.ts'
import { type Difference, diff } from '../../../lib/plan/compare/diff.ts'
import type { Applied, Attempt, BegunJob } from '../../../lib/plan/compare/past.ts'
import { eachOf, targetOf as targetFor } from '../../../lib/plan/compare/target/target.ts'
import type { Rules } from '../../../lib/plan/hold/hold.ts'
import { type PlanInput, planFor } from '../../../lib/plan/plan.ts'
import type { SiteResources, TakenName, TakenPort } from '../../../lib/plan/resources.ts'
import { describeStep } from '../../../lib/plan/step/describe.ts'
import type { Step } from '../../../lib/plan/step/step.ts'
import type { Application } from '../../../lib/state/application/application.ts'
import type { DesiredState } from '../../../lib/state/application/desired.ts'
import { fingerprintOf } from '../../../lib/state/application/fingerprint.ts'
import type { Route } from '../../../lib/state/application/ingress/route.ts'
import { membersOf } from '../../../lib/state/application/members.ts'
import { versionOf } from '../../../lib/state/application/version-of.ts'
import type { LiveState } from '../../../lib/state/running/live.ts'
import { strategy } from './builders.ts'

export type Situation = {
  readonly desired: DesiredState
  readonly live: LiveState
  /** What was last brought to its desired state. */
  readonly applied?: DesiredState
  /** What it was being brought to when the process ended. */
  readonly attempt?: DesiredState
  /** How far that came; `open` where nothing is said. */
  readonly phase?: Attempt['phase']
  /** It failed after a mid hook ran. */
  readonly noReturn?: true
  /** The job of it that began last, as is on record. */
  readonly job?: BegunJob
  /** An earlier version began it, which recorded no jobs. */
  readonly isJobUnknown?: true
  /** Services that cannot get what is wanted now, as `local/web/web`: kept as they were applied. */
  readonly stuck?: readonly string[]
  /** What the commit that was applied is read as now; absent: as it was applied. */
  readonly readAgain?: DesiredState
  readonly rules?: Partial<Rules>
  readonly networks?: readonly string[]
  readonly unneededFiles?: readonly string[]
  readonly leftOver?: SiteResources['leftOver']
  readonly volumes?: readonly string[]
  /** Ports of the host that others publish. */
  readonly ports?: readonly TakenPort[]
  readonly taken?: readonly TakenName[]
  readonly takenServices?: SiteResources['takenServices']
  readonly specificationOf?: PlanInput['specificationOf']
  /** What is known of images, where old ones are to be removed. */
  readonly images?: Images
  /** What the ingress loaded last. */
  readonly loaded?: readonly Route[]
}

/** No rule holds anything back. */
export const rules: Rules = {
  prune: 'auto',
  drift: 'repair',
  quarantined: new Map(),
  barred: new Map(),
  suspended: new Map(),
}

/** The plan for one site `local` with the network `prod` on it. */
export function planOf(situation: Situation): Plan {
  const { desired, live, networks = ['prod'], volumes = [] } = situation
  const applied = situation.applied === undefined ? new Map() : appliedOf(situation.applied)
  const past = {
    applied,
    ...(situation.attempt && {
      attempts: attemptsOf(situation.attempt, situation.phase ?? 'open', situation),
    }),
  }
  const stuck = new Set(situation.stuck ?? [])
  const known = situation.readAgain ?? situation.applied
  const before = cutTo(known?.applications ?? [], stuck)
  return planFor({
    desired,
    diff: diff(desired, live, past),
    keeps:
      stuck.size === 0
        ? []
        : keepsOf({ desired, live, past, stuck, before, strategy, loaded: situation.loaded ?? [] }),
    resources: {
      ...{ networks, volumes, ports: situation.ports ?? [], taken: situation.taken ?? [] },
      unneededFiles: situation.unneededFiles ?? [],
      leftOver: situation.leftOver ?? [],
      takenServices: situation.takenServices ?? [],
    },
    live,
    specificationOf: situation.specificationOf ?? (() => undefined),
    rules: { ...rules, ...situation.rules },
    loaded: situation.loaded ?? [],
    ...(situation.images === undefined ? {} : { images: situation.images }),
  })
}

/** What the journal knows of the instances of these states. */
export function madeFrom(...states: readonly DesiredState[]): PlanInput['specificationOf'] {
  const known = new Map(
    states.flatMap(({ environment, applications }) =>
      applications.flatMap(({ name: application, services }) =>
        services.flatMap(({ name: service, instances }) =>
          instances.map(instance => {
            const fingerprint = fingerprintOf({ environment, application, service }, instance)
            const { network, attachments = [], aliases = [] } = instance
            const networks = [network, ...attachments].map(({ name }) => name)
            const names = [service, ...aliases]
            return [fingerprint, { containers: membersOf(instance), networks, aliases: names }] as const
          }),
        ),
      ),
    ),
  )
  return fingerprint => known.get(fingerprint)
}

/** What the journal remembers after this state was applied. */
export function appliedOf({ environment, applications }: DesiredState): Applied {
  return new Map(
    applications.flatMap(declared => {
      const { name: application, services } = declared
      const version = versionOf(declared)
      return services.map(({ name: service, instances }) => {
        const owner = { environment, application, service }
        const target = targetFor(instances.flatMap(one => eachOf(fingerprintOf(owner, one), one)))
        return [`local/${application}/${service}`, { target, version }] as const
      })
    }),
  )
}

/** Attempts at all services of a state. */
export function attemptsOf(
  state: DesiredState,
  phase: Attempt['phase'],
  { noReturn, job, isJobUnknown }: Pick<Attempt, 'noReturn' | 'job' | 'isJobUnknown'> = {},
): ReadonlyMap<string, Attempt> {
  return new Map(
    comparisonsOf(state).map(({ application, service, target, release }) => [
      `local/${application}/${service}`,
      {
        ...{ target, release, phase },
        ...optional('noReturn', noReturn),
        ...optional('job', job),
        ...optional('isJobUnknown', isJobUnknown),
      },
    ]),
  )
}

/** What the application of this name is released as in this state: what quarantine speaks of. */
export function applicationReleaseOf(state: DesiredState, name: string): string {
  const found = comparisonsOf(state).find(({ application }) => application === name)
  return found?.applicationRelease ?? 'unknown'
}

/** What the first service of that application is released as in this state: what approvals speak of. */
export function releaseOf(state: DesiredState, name: string): string {
  return comparisonsOf(state).find(({ application }) => application === name)?.release ?? 'unknown'
}

function comparisonsOf(state: DesiredState): readonly (Comparison | Difference)[] {
  const { differences, inSync } = diff(state, { site: 'local', containers: [] }, { applied: new Map() })
  return [...differences, ...inSync]
}

function cutTo(applications: readonly Application[], stuck: ReadonlySet<string>): readonly Application[] {
  return applications.map(application => ({
    ...application,
    services: application.services.filter(({ name }) => stuck.has(`local/${application.name}/${name}`)),
  }))
}

/** The target a service of this name has in this state. */
export function targetOf(state: DesiredState, name: string): string {
  return appliedOf(state).get(`local/${name}/${name}`)?.target ?? 'absent'
}

/** All a change does when nothing fails, in order. */
export function courseOf({ stages, finish }: Change): Change['stages'] {
  return [...stages, ...finish]
}

/** The only change of a plan. */
export function onlyChange({ changes }: Plan): Change {
  const [change, ...others] = changes
  if (change === undefined || others.length > 0) throw new Error(`${changes.length} changes instead of one`)
  return change
}

/**
 * Stages in words, one line each. A container's name ends in its fingerprint; here it ends in the tag of its image:
 * `web.1@2` is the first instance of web at tag 2. Tags are known of what was `seen`, or is created.
 */
export function told(
  stages: Change['stages'],
  ...seen: readonly (LiveState | Pick<Change, 'stages'>)[]
): readonly string[] {
  const there = seen.flatMap(one => ('containers' in one ? one.containers : []))
  const made = [...seen.flatMap(one => ('stages' in one ? one.stages.flat() : [])), ...stages.flat()]
  const tags = new Map([
    ...there.map(({ engineName, image }) => [shortOf(engineName), tagOf(image)] as const),
    ...made.flatMap(step =>
      step.do === 'create-container'
        ? [[shortOf(step.container), tagOf(step.spec.image.reference)] as const]
        : [],
    ),
  ])
  return stages.map(stage => inWords(stage, tags))
}

/** `start-container web.1@2, web.2@2` */
function inWords(stage: readonly Step[], tags: ReadonlyMap<string, string>): string {
  const words = stage.map(step =>
    describeStep(step)
      .replace(
        /(?<= )prod\.(\S+?)\.([0-9a-f]{8})(?=[\s.]|$)/,
        (_, name, short) => `${name}@${tags.get(short) ?? '?'}`,
      )
      .replace(/sha256:([0-9a-f])\1{63}/, 'sha256:$1…'),
  )
  return words
    .map((text, index) => {
      const verb = `${stage[index]?.do} `
      return index > 0 && stage[index - 1]?.do === stage[index]?.do ? text.slice(verb.length) : text
    })
    .join(', ')
}

/** What tells a container's name from others of its service: the beginning of a fingerprint. */
function shortOf(engineName: string): string {
  return /\.([0-9a-f]{8})(?=\.|$)/.exec(engineName)?.[1] ?? ''
}

function tagOf(reference: string): string {
  return reference.slice(reference.lastIndexOf(':') + 1)
}
