import { optional } from '../../object.ts'
import type { Container } from '../../state/application/container/container.ts'
import { isJob } from '../../state/running/job-container.ts'
import type { InstanceSpecification } from '../compare/field/fields.ts'
import type { ContainerPlace } from '../step/container-place.ts'
import { isMaking } from '../step/making.ts'
import type { Change } from './change.ts'

/** An instance that a change makes, with its containers in the order in which they are created. */
export type Made = {
  readonly number: number
  readonly fingerprint: string
  readonly members: readonly [Member, ...Member[]]
}

export type Member = { readonly placement: ContainerPlace; readonly spec: Container }

/** Returns every instance that a change makes, in the order of their numbers, without jobs. */
export function madeBy({ stages }: Pick<Change, 'stages'>): readonly Made[] {
  const made = new Map<string, [Member, ...Member[]]>()
  for (const step of stages.flat().filter(isMaking)) {
    if (isJob(step.placement)) continue
    const { fingerprint, instance } = step.placement
    const members = made.get(`${fingerprint} ${instance}`)
    if (members === undefined) made.set(`${fingerprint} ${instance}`, [step])
    else members.push(step)
  }
  return [...made.values()]
    .map(members => {
      const { fingerprint, instance } = members[0].placement
      return { number: instance, fingerprint, members }
    })
    .sort((a, b) => a.number - b.number)
}

/** Returns those that were compared with nothing. */
export function madeWhole(change: Pick<Change, 'stages' | 'whole'>): readonly Made[] {
  return madeBy(change).filter(({ fingerprint }) => change.whole?.includes(fingerprint))
}

/** Returns what an instance is made from. */
export function specificationOf(members: readonly Member[]): InstanceSpecification {
  return {
    containers: members.map(({ spec }) => spec),
    networks: members.flatMap(({ placement }) => networkNames(placement)),
    aliases: members.flatMap(({ placement }) => placement.aliases),
    ...optional('runs', members[0]?.placement.runs),
  }
}

/** Returns the networks to which a container itself is attached. */
export function networkNames({ network, attachments, joins }: ContainerPlace): readonly string[] {
  return joins === undefined ? [network, ...attachments].map(({ name }) => name) : []
}
