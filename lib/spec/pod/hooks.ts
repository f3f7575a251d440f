import type { Job } from '../../state/application/application.ts'
import type { BuildContext } from '../build/context.ts'
import { hookJobs } from '../jobs.ts'
import { readHooks } from '../read/hooks.ts'
import type { PodInstance } from './instance.ts'
import type { Orders } from './orders.ts'

/**
 * Returns what runs once per rollout of a pod (H1). A hook runs in the container of the app that it names, without the
 * event handlers of that app, and mounts those of its volumes that the hook lists.
 */
export function podHooks(
  name: string,
  { strategy }: Orders,
  { instance, apps }: PodInstance,
  { environmentName, secrets }: BuildContext,
): readonly Job[] {
  if (strategy === undefined || instance === undefined) return []
  // A hook is no app of the pod, and asks no metadata service.
  const { attachments: _, ...served } = instance
  return hookJobs(readHooks(strategy.value, strategy.spot), {
    environmentName,
    application: name,
    service: name,
    containers: apps.map(({ written, image, mounts }) => ({
      name: written.name,
      image: image.reference,
      mounts: mounts.map(({ volume, path }) => ({ 'volume-name': volume.name, 'mount-path': path })),
    })),
    instance: served,
    implicit: new Map(),
    known: { variables: new Map(), secrets },
  })
}
