import type { DesiredState } from './desired.ts'
import type { Network } from './network.ts'
import { gatesOf } from './traffic.ts'

/** Returns every network that something wanted will be on, some of them several times. */
export function wantedNetworks({ applications }: Pick<DesiredState, 'applications'>): readonly Network[] {
  return applications.flatMap(({ services }) =>
    services.flatMap(({ instances, jobs = [], traffic }) => [
      ...[...instances, ...jobs].flatMap(({ network, attachments = [] }) => [network, ...attachments]),
      ...instances.flatMap(({ reached = [] }) => reached),
      ...gatesOf(traffic),
    ]),
  )
}
