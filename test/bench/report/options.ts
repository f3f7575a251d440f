import { parseArgs } from 'node:util'

/** How much is measured. */
export type Options = {
  /** Services in the comparison. */
  readonly services: number
  /** How often all subjects take their turn. */
  readonly rounds: number
  /** Passes in the measurement of memory. */
  readonly passes: number
  /** Routes of an ingress of which one changes; a fifth of them stand beside a rollout. */
  readonly routes: number
  /** Rollouts in a row under load. */
  readonly rollouts: number
  /** How many sites a daemon is measured with at most, beside 100 and 1,000 if they are fewer. */
  readonly sites: number
  readonly sections: readonly Section[]
}

/** What needs a machine with a Docker Engine. */
export type MachineSection = (typeof machineSections)[number]
/** What needs no such machine: daemons over simulated engines, or a process by itself. */
export type LoneSection = (typeof loneSections)[number]
export type Section = MachineSection | LoneSection

const machineSections = [
  'engine',
  'instances',
  'start',
  'resolve',
  'largest',
  'memory',
  'ingress',
  'swarm',
] as const
const loneSections = ['sites', 'deployments', 'outages', 'metadata'] as const
const sections: readonly Section[] = [...machineSections, ...loneSections]

export function isOnMachine(section: Section): section is MachineSection {
  return machineSections.some(name => name === section)
}

/** `npm run bench -- --services 8 --rounds 1 --passes 200 --only engine,memory` */
export function optionsOf(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      services: { type: 'string', default: '48' },
      rounds: { type: 'string', default: '3' },
      passes: { type: 'string', default: '2000' },
      routes: { type: 'string', default: '1000' },
      rollouts: { type: 'string', default: '20' },
      sites: { type: 'string', default: '1000' },
      only: { type: 'string', default: sections.join(',') },
    },
  })
  const only = values.only.split(',')
  const unknown = only.filter(name => !sections.some(section => section === name))
  if (unknown.length > 0) throw new Error(`--only takes ${sections.join(', ')}; not ${unknown.join(', ')}`)
  return {
    services: Number(values.services),
    rounds: Number(values.rounds),
    passes: Number(values.passes),
    routes: Number(values.routes),
    rollouts: Number(values.rollouts),
    sites: Number(values.sites),
    sections: sections.filter(section => only.includes(section)),
  }
}
