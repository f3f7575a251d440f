import { formatProblem } from '../../../../lib/errors.ts'
import { anySecrets } from '../../../../lib/spec/any-secrets.ts'
import type { Declared } from '../../../../lib/spec/build/context.ts'
import type { Size } from '../../../../lib/spec/build/size.ts'
import { buildPod } from '../../../../lib/spec/pod/build.ts'
import { type Policy, strictPolicy } from '../../../../lib/spec/policy/policy.ts'
import { parseSpecification } from '../../../../lib/spec/specification/specification.ts'
import type { ContainerEntry } from '../../../../lib/state/application/service-entry.ts'

export type Surroundings = {
  readonly policy?: Partial<Policy>
  readonly registry?: string
  /** Absent: there is a metadata service. */
  readonly metadata?: { readonly pool: string } | 'off'
  readonly strict?: boolean
  /** The size of other applications. */
  readonly taken?: Size
  /** What the images of all apps say of themselves; absent: nobody is asked. */
  readonly declared?: Declared
  /** What the manifest says of `worker`; absent: nothing names it. */
  readonly containers?: readonly Omit<ContainerEntry, 'position'>[]
}

/** Builds `applications/worker.json`; problems and warnings are in their printed form, without the file. */
export function builtPod(
  manifest: unknown,
  {
    policy,
    registry,
    strict = false,
    taken,
    declared,
    containers,
    metadata = { pool: '10.202.0.0/16' },
  }: Surroundings = {},
) {
  const file = 'applications/worker.json'
  const read = parseSpecification(file, typeof manifest === 'string' ? manifest : JSON.stringify(manifest))
  const position = { file: 'environments/prod/manifest.json', line: 3, column: 5 }
  const usable = read.state === 'valid' ? read : read.rest
  if (usable?.kind === 'application') throw new Error('it is no pod manifest')
  const entry = containers && {
    name: 'worker',
    position,
    containers: containers.map(container => ({ ...container, position })),
  }
  const built =
    usable &&
    buildPod(usable, entry, {
      environment: 'prod',
      environmentName: 'prod',
      directory: 'environments/prod',
      healthyMs: 10_000,
      sandboxImage: 'busybox:stable',
      policy: { ...strictPolicy, ...policy },
      secrets: anySecrets,
      ...(metadata === 'off' ? {} : { metadata }),
      strict,
      ...(declared === undefined ? {} : { declared: () => declared }),
      ...(taken === undefined ? {} : { taken }),
      ...(registry === undefined ? {} : { registry }),
    })
  const problems = [...(read.state === 'invalid' ? read.problems : []), ...(built?.problems ?? [])]
  const instance = built?.application.services[0]?.instances[0]
  return {
    application: built?.application,
    instance,
    apps: instance?.containers ?? [],
    problems: problems.map(problem =>
      formatProblem(problem).replace(/^applications\/worker\.json:\d+:\d+: /, ''),
    ),
    warnings: (built?.warnings ?? []).map(problem =>
      formatProblem(problem).replace(/^applications\/worker\.json:\d+:\d+: /, ''),
    ),
  }
}

/** A digest that an app may name. */
export const digest = `sha256:${'3d'.repeat(32)}`

/** An app that needs nothing besides its image. */
export function app(more: object = {}, itself: object = {}) {
  return {
    name: 'main',
    image: { name: 'reg.example.com/team/main', id: digest.replace(':', '-') },
    app: { exec: ['/bin/main'], user: '0', group: '0', ...itself },
    ...more,
  }
}

/** A pod of one app, and what is given. */
export function pod(more: object = {}) {
  return { acVersion: '0.8.11', acKind: 'PodManifest', apps: [app()], ...more }
}
