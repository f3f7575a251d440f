import { stringify } from 'yaml'
import { ingressName } from '../../../../lib/state/application/ingress/route.ts'
import { label } from '../../../../lib/state/labels.ts'
import type { Scene } from '../scene.ts'

/** An application of one service, from the image `app:1`. */
export type Routed = {
  readonly name: string
  readonly routes: readonly Readonly<Record<string, unknown>>[]
  readonly replicas?: number
  readonly env?: Readonly<Record<string, string>>
}

/** Commits these applications and no others. */
export function release(scene: Scene, ...applications: readonly Routed[]): Promise<string> {
  const specification = ({ name, routes, replicas = 1, env = {} }: Routed) => ({
    name,
    services: [
      {
        name: 'web',
        replicas,
        ingress: routes.map(route => ({ port: 8000, ...route })),
        containers: [{ name: 'app', image: `${scene.prefix}/app:1`, env }],
      },
    ],
  })
  const files = applications.map(one => [`applications/${one.name}.yaml`, stringify(specification(one))])
  return scene.commit(
    { services: applications.map(({ name }) => ({ name })), skipConfirmation: true },
    applications.map(({ name }) => name).join(', '),
    Object.fromEntries(files),
  )
}

/** Whom the ingress meets on their gates, one entry for each instance: `shop`, with the VERSION it has. */
export function served({ engine }: Scene): readonly string[] {
  const running = engine.containers().filter(({ state }) => state.status === 'running')
  const ingress = running.find(({ config }) => config.Labels[label.service] === ingressName)
  return running
    .filter(one => one !== ingress && [...one.endpoints.keys()].some(id => ingress?.endpoints.has(id)))
    .map(({ config: { Labels, Env } }) => {
      const version = Env.find(pair => pair.startsWith('VERSION='))?.replace('VERSION=', ' ') ?? ''
      return `${Labels[label.application]}${version}`
    })
    .toSorted()
}
