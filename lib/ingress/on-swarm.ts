import type { Container } from '../state/application/container/container.ts'
import type { IngressSettings } from '../state/application/ingress/ingress-settings.ts'
import type { Routing } from '../state/application/ingress/route.ts'
import type { Volume } from '../state/application/volume.ts'
import type { Text } from '../state/secret/secret.ts'
import { reveal } from '../state/secret/text.ts'
import { files, onSwarm } from './container/files.ts'

/**
 * Returns the container of the ingress as the tasks of a Swarm run it. Nothing can be run in a task of another node, so
 * it starts with its routes, for the Caddy that it finds in its image, and is replaced when they change. They are a
 * secret in any case: what matters of them is shown route by route. If load balancers ask for its health, it answers
 * for a while after it was told to stop, and tells them to send no more.
 * @param isKept whether what it writes is found again by the next task
 */
export function ingressForTasks(
  { files: _, mounts, ...container }: Container,
  { configuration: { newer, older } }: Routing,
  { compose, acme: { root }, health }: IngressSettings,
  isKept: boolean,
): Container {
  const secret = (text: Text) => compose(health === undefined ? reveal(text) : goingOn(reveal(text)))
  return {
    ...container,
    ...(health === undefined ? {} : { stopGraceMs: container.stopGraceMs + goesOnMs }),
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

/** For how long it goes on: load balancers ask every few seconds. */
const goesOnMs = 15_000

/** Caddy answers its `shutting_down` from the moment that it was told to stop. */
function goingOn(text: string): string {
  const read: Loaded = JSON.parse(text)
  const { apps, ...rest } = read
  return JSON.stringify({
    ...rest,
    apps: { ...apps, http: { ...apps.http, shutdown_delay: `${goesOnMs}ms` } },
  })
}

type Loaded = { readonly apps: { readonly http: object } }

/** Which Caddy an image has shows only where it runs. Without a version it counts as new, as `isOlder` says. */
const chosen = `case $(caddy version) in
v2.[0-9].*|2.[0-9].*|v2.10.*|2.10.*) exec caddy run --config ${onSwarm.older} ;;
*) exec caddy run --config ${onSwarm.newer} ;;
esac`

/**
 * Returns the container that serves static files as the tasks of a Swarm run it. A Swarm cannot keep it from gaining
 * privileges, for which it has no program: it runs nothing but Caddy.
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
