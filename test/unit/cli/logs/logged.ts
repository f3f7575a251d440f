import type { Logged } from '../../../../lib/state/running/logged.ts'

/** A container that runs; its name is that of its service unless it is said otherwise. */
export function logged(
  environment: string,
  application: string,
  service: string,
  more: Partial<Logged> = {},
): Logged {
  const { instance = 1, container = service } = more
  const engineName = `${environment}.${service}.${instance}.${container}`
  return {
    ...{ environment, source: 'team/infra', directory: `environments/${environment}` },
    ...{ id: engineName, engineName, application, service, instance, container },
    ...{ role: 'app', state: 'running' },
    ...more,
  }
}
