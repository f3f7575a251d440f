import { stringify } from 'yaml'
import type { StatusDocument, Watched } from '../../support/command/tallyman.ts'
import { engineCall } from '../../support/engine/engine-call.ts'
import { waitUntil } from '../../support/time/wait-until.ts'
import type { AnyScene } from '../scene.ts'

type Parts = {
  readonly version: string
  readonly replicas?: number
  /** What each instance runs. */
  readonly cmd?: string
  readonly isHealthy?: boolean
  readonly strategy?: Readonly<Record<string, unknown>>
  readonly hook?: { readonly stage: 'pre' | 'mid' | 'post'; readonly line: string }
  readonly skipConfirmation?: boolean
  readonly deadline?: number
  readonly image?: string
}

/** Commits the application `web`, recreated at every change. */
export async function commit(scene: AnyScene, parts: Parts): Promise<void> {
  const {
    version,
    replicas = 1,
    cmd,
    isHealthy,
    strategy = {},
    hook,
    skipConfirmation = true,
    image,
    deadline,
  } = parts
  const hooks = hook && {
    [hook.stage]: {
      failurePolicy: 'Abort',
      execNewPod: { containerName: 'app', command: ['sh', '-c'], args: [hook.line], volumes: ['log'] },
    },
  }
  const web = {
    name: 'web',
    services: [
      {
        name: 'web',
        replicas,
        volumes: [{ name: 'log', 'persistent-volume': {} }],
        strategy: {
          type: 'Recreate',
          ...(deadline === undefined ? {} : { progressDeadlineSeconds: deadline }),
          recreate: { timeoutSeconds: 4, ...strategy, ...hooks },
        },
        containers: [
          {
            name: 'app',
            image: image ?? `${scene.prefix}/app:1`,
            env: { VERSION: version },
            mounts: [{ 'volume-name': 'log', 'mount-path': '/log' }],
            ...(cmd === undefined ? {} : { cmd: ['sh', '-c', cmd] }),
            ...(isHealthy === undefined
              ? {}
              : { healthcheck: { test: ['CMD', String(isHealthy)], interval: '100ms', retries: 100 } }),
          },
        ],
      },
    ],
  }
  const files = { 'applications/web.yaml': stringify(web) }
  await scene.commit({ services: [{ name: 'web' }], skipConfirmation }, `Run ${version}`, files)
}

/** The versions that run, by their environment variable, one for each container. */
export async function versions(scene: AnyScene): Promise<readonly string[]> {
  const running = (await scene.containers()).filter(({ state }) => state === 'running')
  const seen = await Promise.all(
    running.map(async ({ id }) => {
      const { status, body } = await engineCall(scene.dockerSocket, 'GET', `/containers/${id}/json`)
      // It went in the meantime.
      if (status === 404) return []
      const { Config }: { readonly Config: { readonly Env: readonly string[] } } = JSON.parse(body.toString())
      return [Config.Env.find(entry => entry.startsWith('VERSION='))?.slice('VERSION='.length) ?? '?']
    }),
  )
  return seen.flat().sort()
}

/** Waits until exactly these versions run. */
export const runs = (scene: AnyScene, ...wanted: readonly string[]): Promise<boolean> =>
  waitUntil(`${wanted.join(', ')} runs`, async () => String(await versions(scene)) === String(wanted))

/** Whether `status` tells of a quarantine. */
export const isQuarantined = ({ errors }: StatusDocument): boolean =>
  errors.some(({ code }) => code === 'quarantined')

/** Deploys the application with a daemon, and returns that. */
export async function started<Daemon extends Watched>(
  scene: AnyScene<Daemon>,
  parts: Parts,
): Promise<Daemon> {
  await scene.push('app', '1')
  await commit(scene, parts)
  const daemon = await scene.tallyman.daemon()
  await daemon.until('it is deployed', seen => seen.sync === 'Synced' && seen.running === undefined)
  return daemon
}

/** The container of the environment that runs. */
export async function onlyRunning(scene: AnyScene): Promise<string> {
  const [one, ...others] = (await scene.containers()).filter(({ state }) => state === 'running')
  if (one === undefined || others.length > 0) throw new Error('not exactly one container runs')
  return one.id
}

/** The commit that the running container was made from. */
export async function commitLabel(scene: AnyScene): Promise<string | undefined> {
  const path = `/containers/${await onlyRunning(scene)}/json`
  const { body } = await engineCall(scene.dockerSocket, 'GET', path)
  const { Config }: { readonly Config: { readonly Labels: Readonly<Record<string, string>> } } = JSON.parse(
    body.toString(),
  )
  return Config.Labels['tallyman.commit']
}
