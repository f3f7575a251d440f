import { type ResolveContext, resolve } from '../../../lib/resolve.ts'
import { anySecrets } from '../../../lib/spec/any-secrets.ts'
import { strictPolicy } from '../../../lib/spec/policy/policy.ts'
import type { DesiredState } from '../../../lib/state/application/desired.ts'
import { type Files, snapshotOf } from '../../support/builders/snapshot.ts'

/** Everything that a test says nothing of: no policy, no sites, and whatever secret is asked for. */
export const context: ResolveContext = {
  source: 'https://git.example.com/ops/manifests',
  policy: strictPolicy,
  healthyMs: 10_000,
  sandboxImage: 'busybox:stable',
  secrets: anySecrets,
}

/** Resolves `environments/prod` with this manifest. */
export function prod(
  manifest: object,
  files: Files = {},
  more: Partial<ResolveContext> = {},
): Promise<DesiredState> {
  return resolve(
    snapshotOf({ 'environments/prod/manifest.json': JSON.stringify(manifest), ...files }),
    { name: 'prod', directory: 'environments/prod' },
    { ...context, ...more },
  )
}

/** A service of one container. */
export function plain(name: string) {
  return { name, containers: [{ dockerTag: '1' }] }
}
