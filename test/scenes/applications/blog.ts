import { stringify } from 'yaml'
import { execIn } from '../../support/engine/exec-in.ts'
import type { AnyScene, LiveContainer } from '../scene.ts'

function blog({ prefix }: AnyScene, env: Readonly<Record<string, string>> = {}, more: object = {}) {
  return {
    name: 'blog',
    services: [
      {
        name: 'web',
        replicas: 2,
        pallet: {
          domain: 'blog.example.com',
          protocol: 'https',
          environment: 'test',
          webConcurrency: 4,
          services: [
            {
              type: 'postgres',
              url: 'postgres://blog:pw@db:5432/blog',
              deployUrl: 'postgres://admin:pw@db/blog',
            },
          ],
          ...more,
        },
        containers: [{ name: 'app', image: `${prefix}/blog:1`, env }],
      },
    ],
  }
}

/** Commits a version of the Pallet application `blog`. `more`: keys of `pallet`. */
export const commit = (
  scene: AnyScene,
  tag: string,
  env?: Readonly<Record<string, string>>,
  more?: object,
): Promise<string> =>
  scene.commit(
    {
      services: [{ name: 'blog', containers: [{ dockerName: 'blog', dockerTag: tag }] }],
      skipConfirmation: true,
    },
    `Version ${tag}`,
    { 'applications/blog.yaml': stringify(blog(scene, env, more)) },
  )

async function serving(scene: AnyScene): Promise<readonly LiveContainer[]> {
  return (await scene.containers()).filter(
    ({ state, labels }) => state === 'running' && labels['tallyman.role'] === 'app',
  )
}

/** The lines of a file that the application wrote. */
export async function read(scene: AnyScene, file: string): Promise<readonly string[]> {
  const [one] = await serving(scene)
  return (await execIn(scene.dockerSocket, one?.id ?? '', `cat /storage/${file}`)).trim().split('\n')
}

/** The container in which a deploy runs. */
export async function deploying(scene: AnyScene): Promise<LiveContainer | undefined> {
  return (await scene.containers()).find(
    ({ state, labels }) => state === 'running' && labels['tallyman.role'] === 'deploy',
  )
}
