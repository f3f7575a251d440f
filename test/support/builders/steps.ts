import type { Step } from '../../../lib/plan/step/step.ts'
import { container } from './builders.ts'

/** The steps of a change to the service `web`, by the name of a container. */
export const create = (name: string): Step => ({
  do: 'create-container',
  container: name,
  placement: {
    application: 'web',
    service: 'web',
    instance: 1,
    fingerprint: `v1:${name}`,
    network: { name: 'prod' },
    attachments: [],
    aliases: ['web'],
    role: 'app',
    instanceName: 'prod.web.1.ab12cd34',
  },
  spec: container(),
})
export const start = (name: string): Step => ({ do: 'start-container', container: name })
export const gate = (name: string): Step => ({
  do: 'await-healthy',
  container: name,
  healthyMs: 1_000,
  timeoutMs: 60_000,
})
export const stop = (name: string): Step => ({ do: 'stop-container', container: name })
export const remove = (name: string): Step => ({ do: 'remove-container', container: name })
