import { onceFor } from '../../once-for.ts'
import type { Application } from './application.ts'
import type { DesiredState } from './desired.ts'
import { gatesOf } from './ingress/traffic.ts'
import type { Network } from './network.ts'

/** Returns every network that something wanted will be on, or would be with instances, some of them several times. */
export function wantedNetworks({ applications }: Pick<DesiredState, 'applications'>): readonly Network[] {
  return networksOf(applications)
}

/** They are the same on all sites. */
const networksOf = onceFor((applications: readonly Application[]): readonly Network[] =>
  applications.flatMap(({ services }) =>
    services.flatMap(({ instances, jobs = [], traffic, resting }) => [
      ...[...instances, ...jobs, ...(resting?.instances ?? []), ...(resting?.jobs ?? [])].flatMap(
        ({ network, attachments = [] }) => [network, ...attachments],
      ),
      ...instances.flatMap(({ reached = [] }) => reached),
      ...gatesOf(traffic),
    ]),
  ),
)
