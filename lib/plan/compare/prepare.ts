import { optional } from '../../object.ts'
import type { Instance } from '../../state/application/application.ts'
import type { Container } from '../../state/application/container/container.ts'
import type { Network } from '../../state/application/network.ts'
import type { Volume } from '../../state/application/volume.ts'
import type { Step } from '../step/step.ts'
import type { WantedContainer, WantedInstance } from './instance/instance.ts'

/**
 * Returns the steps for everything that has to exist before the instance can be created. They touch nothing that runs.
 */
export function prepareSteps({ containers, instance }: WantedInstance): readonly Step[] {
  // A Swarm pulls images and makes volumes itself, on the nodes that run a task.
  if (instance.runs !== undefined)
    return [
      ...containers.flatMap(({ spec }) => findSteps(spec)),
      ...[instance.network, ...(instance.attachments ?? [])].flatMap(networkSteps),
    ]
  return [
    ...containers.flatMap(({ spec }) => pullSteps(spec)),
    ...checkSteps(
      containers.map(({ spec }) => spec),
      instance.volumes,
      serviceOf(containers),
    ),
    ...[instance.network, ...(instance.attachments ?? [])].flatMap(networkSteps),
    ...reachedSteps(instance),
    ...instance.volumes.map((volume): Step => ({ do: 'create-volume', volume })),
  ]
}

function serviceOf([first]: readonly WantedContainer[]): string {
  return first === undefined ? '' : `${first.placement.application}/${first.placement.service}`
}

/** Returns the step that pulls the image of a container; none if the image has no digest. */
export function pullSteps({ image }: Container): readonly Step[] {
  return image.pin.state === 'pinned'
    ? [{ do: 'pull-image', reference: image.reference, digest: image.pin.digest }]
    : []
}

/** Returns the step that makes sure that the nodes of a Swarm can pull the image of a container. */
export function findSteps({ image }: Container): readonly Step[] {
  return image.pin.state === 'pinned'
    ? [{ do: 'find-image', reference: image.reference, digest: image.pin.digest }]
    : []
}

/**
 * Returns the steps that check what images have to have, and what is below an allowed directory of the host, whether it
 * is mounted directly or bound by a volume. The directory itself is allowed by the operator and not checked, unless an
 * existing volume may bind something else. `service` is that of the containers, with its application.
 */
export function checkSteps(
  containers: readonly Container[],
  volumes: readonly Volume[],
  service: string,
): readonly Step[] {
  const mounted = containers.flatMap(({ image, mounts = [] }) =>
    mounts.flatMap(mount =>
      mount.kind === 'host' && mount.within !== undefined
        ? [{ path: mount.source, within: mount.within, image }]
        : [],
    ),
  )
  const [first] = containers
  const bound = volumes.flatMap(({ binds, name: volume }): Step[] =>
    binds === undefined || first === undefined
      ? []
      : [{ do: 'check-host-path', ...binds, image: first.image, volume }],
  )
  const hosts = mounted.flatMap(({ path, within, image }): Step[] =>
    path === within ? [] : [{ do: 'check-host-path', path, within, image }],
  )
  return [...containers.flatMap(one => imageSteps(one, service)), ...hosts, ...bound]
}

/** Returns the step that checks whether the image of a container has what that needs; none if it needs nothing. */
function imageSteps(
  { name, image, needs, user, workingDir, mounts = [] }: Container,
  service: string,
): readonly Step[] {
  if (needs === undefined) return []
  return [
    {
      do: 'check-image',
      of: `${service}/${name}`,
      image,
      ...optional('user', needs.account && user),
      ...optional('directory', needs.workingDir && workingDir),
      ...optional('program', needs.program && { ...needs.program, mounted: mounts.map(({ path }) => path) }),
    },
  ]
}

/** Returns the step that creates a network; none for the host's. */
export function networkSteps(network: Network): readonly Step[] {
  return network.mode === 'host' ? [] : [{ do: 'create-network', network }]
}

/** Returns the steps for the networks on which others reach an instance. It does without one that cannot be made. */
export function reachedSteps({ reached = [] }: Instance): readonly Step[] {
  return reached.map((network): Step => ({ do: 'create-network', network, ifRoom: true }))
}
