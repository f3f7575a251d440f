import type { Container } from '../state/application/container.ts'
import type { IngressSettings } from '../state/application/ingress-settings.ts'
import type { Routing } from '../state/application/route.ts'
import type { Volume } from '../state/application/volume.ts'
import { files, onSwarm } from './control/files.ts'

/**
 * Returns the container of the ingress as the tasks of a Swarm run it. Nothing can be run in a task of another node, so
 * it starts with its routes, for the Caddy that it finds in its image, and is replaced when they change. They are a
 * secret in any case: what matters of them is shown route by route.
 * @param isKept whether what it writes is found again by the next task
 */
export function ingressForTasks(
  { files: _, mounts, ...container }: Container,
  { configuration: { newer, older } }: Routing,
  { compose, acme: { root } }: IngressSettings,
  isKept: boolean,
): Container {
  const secret = (content: Routing['configuration']['newer']) =>
    typeof content === 'string' ? compose(content) : content
  return {
    ...container,
    entrypoint: ['sh', '-c'],
    command: [chosen],
    files: [
      { path: onSwarm.newer, content: secret(newer), mode: 0o400 },
      { path: onSwarm.older, content: secret(older), mode: 0o400 },
      ...(root === undefined ? [] : [{ path: files.root, content: root, mode: 0o444 }]),
    ],
    ...(isKept && mounts !== undefined ? { mounts } : {}),
  }
}

/** Which Caddy an image has shows only where it runs. Without a version it counts as new, as `isOlder` says. */
const chosen = `case $(caddy version) in
v2.[0-9].*|2.[0-9].*|v2.10.*|2.10.*) exec caddy run --config ${onSwarm.older} ;;
*) exec caddy run --config ${onSwarm.newer} ;;
esac`

/**
 * Returns the container that serves static files as the tasks of a Swarm run it: these cannot be kept from gaining
 * privileges, of which it has none to gain.
 */
export function staticsForTasks({ securityOpt: _, ...container }: Container): Container {
  return container
}

/** Returns the volume of the ingress as nodes make it. */
export function volumesForTasks(
  volumes: readonly Volume[],
  storage: { readonly driver: string; readonly options?: Readonly<Record<string, string>> } | undefined,
): readonly Volume[] {
  if (storage === undefined) return volumes
  const { driver, options } = storage
  return volumes.map(volume => ({
    ...volume,
    driver,
    ...(options === undefined ? {} : { driverOptions: options }),
  }))
}
