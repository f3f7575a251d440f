import { onceFor } from '../../memo/once-for.ts'
import type { Application, Instance, Service } from './application.ts'
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
    services.flatMap(service => [
      ...networksOfService(service),
      ...attached([...(service.resting?.instances ?? []), ...(service.resting?.jobs ?? [])]),
    ]),
  ),
)

/** Returns every network that a service is on as it is wanted, some of them several times. */
export function networksOfService({ instances, jobs = [], traffic }: Service): readonly Network[] {
  return [
    ...attached([...instances, ...jobs]),
    ...instances.flatMap(({ reached = [] }) => reached),
    ...gatesOf(traffic),
  ]
}

function attached(all: readonly Pick<Instance, 'network' | 'attachments'>[]): readonly Network[] {
  return all.flatMap(({ network, attachments = [] }) => [network, ...attachments])
}
