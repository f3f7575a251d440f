import type { Network } from '../../state/application/network.ts'
import type { HostStep } from './host-step.ts'
import type { JobStep } from './job-step.ts'
import type { SwarmStep } from './swarm-step.ts'

/** One engine call, or one wait. Every step is idempotent: repeated after a crash, it changes nothing more. */
export type Step = SharedStep | HostStep | SwarmStep

/** What hosts and Swarms do. */
export type SharedStep =
  /** `ifRoom`: if there are no addresses left for the network, it is skipped. */
  | { readonly do: 'create-network'; readonly network: Network; readonly ifRoom?: true }
  | { readonly do: 'remove-network'; readonly network: string }
  | JobStep

/** What a host can do. */
export type StepOnHost = SharedStep | HostStep

/** What a Swarm can do. */
export type StepOnSwarm = SharedStep | SwarmStep

export type StepName = Step['do']

/** The steps of one name. */
export type StepOf<N extends StepName> = Extract<Step, { do: N }>

/** Returns the steps of one name, for code that reads what they are about. */
export function stepsOf<N extends StepName>(steps: readonly Step[], name: N): readonly StepOf<N>[] {
  return steps.filter((step): step is StepOf<N> => step.do === name)
}
