import { anySecrets } from '../../../lib/spec/any-secrets.ts'
import { strictPolicy } from '../../../lib/spec/policy/policy.ts'
import { validateRepository } from '../../../lib/validate/repository.ts'
import { type Files, snapshotOf } from '../builders/snapshot.ts'

export const context = {
  source: 'ops/manifests',
  policy: strictPolicy,
  healthyMs: 10_000,
  sandboxImage: 'busybox:stable',
  secrets: anySecrets,
}

export const containers = [{ name: 'web', image: 'a:1' }]

/** What is not for the service is for its container. */
export function specification(parts: object, name = 'bad'): string {
  const { ports, mounts, env, ...service } = { ports: undefined, mounts: undefined, env: undefined, ...parts }
  const container = { name: 'web', image: 'a:1', ports, mounts, env }
  return JSON.stringify({ name, services: [{ name: 'web', containers: [container], ...service }] })
}

export function repeated<T>(count: number, make: (index: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, index) => make(index))
}

/** What is said of a repository with these files, beside one environment that is well. */
export async function problemsIn(files: Files): Promise<readonly string[]> {
  const bystander = '{"services": [{"name": "good", "containers": [{"dockerTag": "1"}]}]}'
  const { problems } = await validateRepository(
    snapshotOf({ 'environments/prod/manifest.json': bystander, ...files }),
    context,
  )
  return problems.map(({ position, message }) => `${position?.file}: ${message}`)
}
