import type { HostConfig } from './config.ts'
import { type Container, type Daemon, tell } from './container/container.ts'
import { mayBeCalled } from './container/create.ts'
import { conflict, Refusal } from './server/refusal.ts'

/** Gives a container another name. */
export function rename(daemon: Daemon, container: Container, name: string): void {
  if (name === container.name)
    throw new Refusal(400, 'Renaming a container with the same name as its current name')
  try {
    mayBeCalled(daemon, name)
  } catch (error) {
    if (error instanceof Refusal && error.status === 409)
      throw conflict(`Error when allocating new name: ${error.message}`)
    throw error
  }
  const oldName = `/${container.name}`
  container.name = name
  tell(daemon, container, 'rename', { oldName })
}

const policies = ['', 'no', 'always', 'unless-stopped', 'on-failure']

/** Changes limits and restart policy of a container. */
export function update(daemon: Daemon, container: Container, body: Partial<HostConfig>): void {
  const { RestartPolicy, ...limits } = body
  const policy = RestartPolicy?.Name ?? ''
  if (!policies.includes(policy)) throw new Refusal(400, `invalid restart policy '${policy}'`)
  container.hostConfig = {
    ...container.hostConfig,
    ...Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== 0 && value !== '')),
    ...(policy === ''
      ? {}
      : { RestartPolicy: { Name: policy, MaximumRetryCount: RestartPolicy?.MaximumRetryCount ?? 0 } }),
  }
  tell(daemon, container, 'update')
}
