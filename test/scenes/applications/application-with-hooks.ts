import { stringify } from 'yaml'
import type { AnyScene } from '../scene.ts'

export type Strategy = 'RollingUpdate' | 'Recreate'
export type Stage = 'pre' | 'mid' | 'post'

/** An application of one service; its hooks as lines for a shell. */
export function application(
  { prefix }: Pick<AnyScene, 'prefix'>,
  name: string,
  version: string,
  type: Strategy,
  hooks: Partial<Record<Stage, { readonly line: string; readonly policy: string }>>,
  parts: { readonly replicas?: number; readonly cmd?: string; readonly timeoutSeconds?: number } = {},
) {
  const { replicas = 1, cmd, timeoutSeconds = 60 } = parts
  const written = Object.entries(hooks).map(([stage, { line, policy }]) => [
    stage,
    {
      failurePolicy: policy,
      timeoutSeconds,
      execNewPod: { containerName: 'app', command: ['sh', '-c'], args: [line], volumes: ['log'] },
    },
  ])
  return {
    name,
    services: [
      {
        name,
        replicas,
        volumes: [{ name: 'log', 'persistent-volume': {} }],
        strategy: { type, [type === 'Recreate' ? 'recreate' : 'rollingUpdate']: Object.fromEntries(written) },
        containers: [
          {
            name: 'app',
            image: `${prefix}/app:1`,
            env: { VERSION: version },
            mounts: [{ 'volume-name': 'log', 'mount-path': '/log' }],
            ...(cmd === undefined ? {} : { cmd: ['sh', '-c', cmd] }),
          },
        ],
      },
    ],
  }
}

/** Commits these applications and no others. */
export async function commit(
  scene: AnyScene,
  applications: readonly { readonly name: string }[],
): Promise<void> {
  const files = applications.map(one => [`applications/${one.name}.yaml`, stringify(one)])
  const services = applications.map(({ name }) => ({ name }))
  await scene.commit({ services, skipConfirmation: true }, 'Change', Object.fromEntries(files))
}
