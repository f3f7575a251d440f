import type { Change, Plan } from '../../lib/plan/change.ts'
import { describeStep } from '../../lib/plan/describe.ts'
import { type Applied, diff } from '../../lib/plan/diff.ts'
import type { Rules } from '../../lib/plan/hold.ts'
import type { Images } from '../../lib/plan/images.ts'
import { type PlanInput, planFor } from '../../lib/plan/plan.ts'
import type { Step } from '../../lib/plan/step.ts'
import { targetOf as targetFor } from '../../lib/plan/target.ts'
import type { DesiredState } from '../../lib/state/desired.ts'
import { fingerprintOf, shortFingerprint } from '../../lib/state/fingerprint.ts'
import type { LiveState } from '../../lib/state/live.ts'
import type { Route } from '../../lib/state/route.ts'

export type Situation = {
  readonly desired: DesiredState
  readonly live: LiveState
  /** What was last brought to its desired state. */
  readonly applied?: DesiredState
  /** What it was being brought to when the process ended. */
  readonly attempt?: DesiredState
  readonly rules?: Partial<Rules>
  readonly networks?: readonly string[]
  readonly volumes?: readonly string[]
  readonly specificationOf?: PlanInput['specificationOf']
  /** What is known of images, where old ones are to be removed. */
  readonly images?: Images
  readonly unseen?: readonly string[]
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
  return planFor({
    desired,
    diffs: [
      {
        site: live.site,
        ...diff(desired, live, {
          applied,
          ...(situation.attempt && { attempts: appliedOf(situation.attempt) }),
        }),
      },
    ],
    resources: [{ site: live.site, networks, volumes }],
    unseen: situation.unseen ?? [],
    specificationOf: situation.specificationOf ?? (() => undefined),
    rules: { ...rules, ...situation.rules },
    loaded: situation.loaded ?? [],
    ...(situation.images === undefined ? {} : { images: situation.images }),
  })
}

/** What the journal remembers after this state was applied. */
export function appliedOf({ environment, applications }: DesiredState): Applied {
  return new Map(
    applications.flatMap(({ name: application, services }) =>
      services.map(({ name: service, instances }) => {
        const owner = { environment, application, service }
        const target = targetFor(instances.map(instance => fingerprintOf(owner, instance)))
        return [`local/${application}/${service}`, { target }] as const
      }),
    ),
  )
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
 * `web.1@2` is the first instance of web at tag 2.
 */
export function told(stages: Change['stages'], ...states: readonly LiveState[]): readonly string[] {
  const tags = new Map(
    states.flatMap(({ containers }) =>
      containers.map(({ fingerprint, image }) => [shortFingerprint(fingerprint), tagOf(image)] as const),
    ),
  )
  for (const step of stages.flat())
    if (step.do === 'create-container')
      tags.set(shortFingerprint(step.placement.fingerprint), tagOf(step.spec.image.reference))
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

function tagOf(reference: string): string {
  return reference.slice(reference.lastIndexOf(':') + 1)
}
