import { stringify } from 'yaml'
import { engineGet } from '../support/engine/engine-call.ts'
import { type Caddy, pushCaddy } from '../support/images/caddy.ts'
import { pushNodeApp } from '../support/images/node-app.ts'
import { smallWebApp, webApp } from '../support/images/web-app.ts'
import { freePort } from '../support/network/free-port.ts'
import { createScene, type Scene, type SceneOptions } from './scene.ts'

/** An environment whose ingress listens on ports of its own. */
export type IngressScene = Scene & {
  readonly http: number
  readonly https: number
  /** Commits these applications and no others. */
  release(...applications: readonly WebApplication[]): Promise<string>
  /** The one that runs. */
  ingress(): Promise<Ingress>
}

/** Its container, as the engine shows it. */
export type Ingress = {
  readonly id: string
  readonly startedAt: string
  readonly pid: number
  /** The id of its image. */
  readonly image: string
}

/** A `webApp` with its routes. */
export type WebApplication = {
  readonly name: string
  /** What it answers. */
  readonly version: string
  /** Each on port 8000, unless it says otherwise. */
  readonly routes: readonly Readonly<Record<string, unknown>>[]
  readonly replicas?: number
  readonly strategy?: Readonly<Record<string, unknown>>
  readonly env?: Readonly<Record<string, string>>
  readonly stopGrace?: string
  /** How often its health is checked, as a duration; every second unless it is said. */
  readonly checkedEvery?: string
}

type IngressOptions = {
  /** What the operator allows besides what everybody may do. */
  readonly policy?: object
  readonly caddy?: Caddy
  /** Applications are `smallWebApp`, which several engines have soon. */
  readonly small?: boolean
  /** On a Swarm, ports have no addresses. */
  readonly sites?: readonly Readonly<Record<string, unknown>>[]
}

/**
 * A scene with an ingress and what applications are made of.
 * @param ingress what `tallyman.yaml` says besides; with `external`, ports are only what users type
 */
export async function createIngressScene(
  ingress: Readonly<Record<string, unknown>> = {},
  { caddy, small, sites, policy, ...options }: SceneOptions & IngressOptions = {},
): Promise<IngressScene> {
  await using stack = new AsyncDisposableStack()
  const [http, https] = [await freePort(), await freePort()]
  const local = (port: number) =>
    ingress['external'] === true || sites !== undefined ? { port } : { port, addresses: ['127.0.0.1'] }
  const config = (prefix: string) => {
    // Of its two ports one is what all environments have, and one is this environment's own.
    const environments = { [prefix.split('/').at(-1) ?? '']: { https: local(https) } }
    return {
      ...(sites === undefined ? {} : { sites }),
      ...(policy === undefined ? {} : { policy }),
      ingress: { image: `${prefix}/caddy:2`, http: local(http), environments, ...ingress },
    }
  }
  const scene = stack.use(await createScene({ config, ...options }))
  const { registry, environment, prefix, dockerSocket } = scene
  await pushCaddy(registry, `${environment}/caddy`, '2', caddy)
  if (small) await scene.push('app', '1', smallWebApp)
  else await pushNodeApp(registry, `${environment}/app`, '1', webApp)
  const parts = stack.move()
  return {
    ...scene,
    http,
    https,
    release: (...applications) =>
      scene.commit(
        { services: applications.map(({ name }) => ({ name })), skipConfirmation: true },
        applications.map(({ name, version }) => `${name} ${version}`).join(', '),
        Object.fromEntries(
          applications.map(one => [
            `applications/${one.name}.yaml`,
            stringify(specificationOf(one, `${prefix}/app:1`)),
          ]),
        ),
      ),
    ingress: async () => {
      const containers = await scene.containers()
      const id = containers.find(one => one.service === 'tallyman-ingress' && one.state === 'running')?.id
      if (id === undefined) throw new Error('no ingress runs')
      const { State, Image }: Inspected = JSON.parse(
        JSON.stringify(await engineGet(dockerSocket, `/containers/${id}/json`)),
      )
      return { id, startedAt: State.StartedAt, pid: State.Pid, image: Image }
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  }
}

type Inspected = {
  readonly Image: string
  readonly State: { readonly StartedAt: string; readonly Pid: number }
}

/** The applications' files as a repository has them. */
function specificationOf(application: WebApplication, image: string): object {
  const { name, version, routes, replicas = 2, strategy, env } = application
  const { stopGrace = '10s', checkedEvery = '1s' } = application
  return {
    name,
    ...(strategy === undefined ? {} : { strategy }),
    services: [
      {
        name: 'web',
        replicas,
        ...(routes.length === 0 ? {} : { ingress: routes.map(route => ({ port: 8000, ...route })) }),
        containers: [
          {
            name: 'app',
            image,
            env: { VERSION: version, ...env },
            healthcheck: { test: [...isReady], interval: checkedEvery, retries: 1, start_period: '60s' },
            stop_grace_period: stopGrace,
          },
        ],
      },
    ],
  }
}

const isReady = ['CMD', 'wget', '-q', '-O', '/dev/null', 'http://127.0.0.1:8000/ready']
