import { onceFor } from '../../../memo/once-for.ts'
import type { Application, Service } from '../../../state/application/application.ts'
import { routingOf } from '../../../state/application/ingress/traffic.ts'
import { hashOf } from '../../../state/canonical.ts'
import { alikeOf } from '../instance/instance.ts'
import { eachOf, targetOf } from './target.ts'

/** Returns what a service should have, as one value. It is the same on all sites. */
export function wantedTarget(environment: string, application: Application, service: Service): string {
  const known = targets(application)(service)
  const target = known.get(environment) ?? makeTarget(environment, application, service)
  known.set(environment, target)
  return target
}

/** By the name of the environment. */
const targets = onceFor((_: Application) => onceFor((_: Service) => new Map<string, string>()))

function makeTarget(environment: string, application: Application, service: Service): string {
  return targetOf(
    service.instances.flatMap(instance =>
      eachOf(alikeOf(environment, application, service, instance).fingerprint, instance),
    ),
    { routes: routingOf(service)?.mark, reached: markOfReached(service) },
  )
}

function markOfReached({ instances }: Service): string | undefined {
  const names = instances.flatMap(({ reached }) => reached ?? []).map(({ name }) => name)
  return names.length === 0 ? undefined : hashOf(names).slice(0, 8)
}
