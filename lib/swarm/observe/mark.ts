import { createHmac } from 'node:crypto'
import { canonical } from '../../state/canonical.ts'
import { label } from '../../state/labels.ts'
import type { ServiceMark } from '../../state/running/live.ts'
import type { ServiceSpec } from '../api/service.ts'

/**
 * Returns how a service is specified, in parts that somebody may change by hand. Image and number are readable; the
 * others are hashes with a key, because they may contain secrets. That its tasks were replaced without a change is no
 * part of it, and neither is the login of its registry.
 */
export function serviceMarkOf(
  { Name: _, Labels, TaskTemplate, Mode, ...others }: ServiceSpec,
  key: Buffer,
): ServiceMark {
  const {
    ContainerSpec = { Image: '' },
    ForceUpdate: __,
    Networks,
    Resources,
    Placement,
    ...task
  } = TaskTemplate
  const { Image, Env, Command, Args, Mounts, Configs, Secrets, ...container } = ContainerSpec
  const { EndpointSpec, UpdateConfig, RollbackConfig, ...service } = others
  const hashed = {
    variables: Env,
    command: [Command, Args],
    mounts: Mounts,
    files: [Configs, Secrets],
    networks: Networks,
    ports: EndpointSpec,
    resources: Resources,
    placement: Placement,
    updates: [UpdateConfig, RollbackConfig],
    labels: withoutLogin(Labels),
    settings: [task, container, service],
  }
  const hashes = Object.entries(hashed).map(
    ([part, value]) =>
      [
        part,
        createHmac('sha256', key)
          .update(canonical(value ?? null))
          .digest('hex')
          .slice(0, 16),
      ] as const,
  )
  const { Replicated, Global } = Mode ?? {}
  const replicas = Global === undefined ? String(Replicated?.Replicas ?? 1) : 'one on each node'
  return { image: Image, replicas, ...Object.fromEntries(hashes) }
}

function withoutLogin(labels: ServiceSpec['Labels']): ServiceSpec['Labels'] {
  if (labels === null) return null
  const { [label.login]: _, ...others } = labels
  return others
}
