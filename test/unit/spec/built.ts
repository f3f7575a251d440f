import { parseYaml } from '../../../lib/document/yaml.ts'
import { formatProblem } from '../../../lib/errors.ts'
import { optional } from '../../../lib/object.ts'
import { anySecrets } from '../../../lib/spec/any-secrets.ts'
import type { ApplicationSpecification } from '../../../lib/spec/application.gen.ts'
import { buildApplication } from '../../../lib/spec/build/build.ts'
import type { BuildContext } from '../../../lib/spec/build/context.ts'
import { type Policy, strictPolicy } from '../../../lib/spec/policy/policy.ts'
import type { Container } from '../../../lib/state/application/container/container.ts'
import type { ContainerEntry } from '../../../lib/state/application/service-entry.ts'
import type { Secrets } from '../../../lib/state/secret/secrets.ts'

export type Surroundings = {
  /** `prod` unless told. */
  readonly environment?: string
  /** What it is called on engines; as it is named unless told. */
  readonly nameOnEngines?: string
  readonly policy?: Partial<Policy>
  readonly registry?: string
  readonly secrets?: Secrets
  readonly ingress?: BuildContext['ingress']
  readonly onSwarms?: true
  /** What the manifest says of `shop`. */
  readonly entry?: {
    readonly version?: string
    readonly containers?: readonly Omit<ContainerEntry, 'position'>[]
  }
}

/** Builds `applications/shop.yaml` for an environment; problems are in their printed form. */
export function built(
  text: string,
  {
    environment = 'prod',
    nameOnEngines = environment,
    policy,
    registry,
    secrets,
    ingress,
    onSwarms,
    entry,
  }: Surroundings = {},
) {
  const file = 'applications/shop.yaml'
  const document = parseYaml(file, text)
  const position = { file: 'environments/prod/manifest.json', line: 3, column: 5 }
  const result = buildApplication(
    {
      state: 'valid',
      kind: 'application',
      file,
      document,
      value: document.value as ApplicationSpecification,
    },
    entry === undefined
      ? undefined
      : {
          name: 'shop',
          position,
          ...(entry.version === undefined ? {} : { version: entry.version }),
          ...(entry.containers === undefined
            ? {}
            : { containers: entry.containers.map(container => ({ ...container, position })) }),
        },
    {
      environment: nameOnEngines,
      environmentName: environment,
      directory: `environments/${environment}`,
      healthyMs: 10_000,
      policy: { ...strictPolicy, ...policy },
      sandboxImage: 'busybox:stable',
      secrets: secrets ?? anySecrets,
      ...(ingress === undefined ? {} : { ingress }),
      ...(onSwarms === undefined ? {} : { onSwarms }),
      ...(registry === undefined ? {} : { registry }),
    },
  )
  return {
    application: result.application,
    problems: result.problems.map(formatProblem),
    warnings: result.warnings.map(formatProblem),
    ...optional('asking', result.asking),
  }
}

/** The first service of a specification with one container that says these lines besides its name and image. */
export function service(lines: string, more = '', surroundings: Surroundings = {}) {
  const { application, problems, warnings } = built(
    `name: shop
services:
  - name: web
${indent(more, 4)}    containers:
      - name: web
        image: web:1
${indent(lines, 8)}`,
    surroundings,
  )
  const [first] = application.services
  return { service: first, instance: first?.instances[0], problems, warnings }
}

/** What such a container sets beyond name, image and the defaults, or what is wrong with it. */
export function container(lines: string, more = '', surroundings: Surroundings = {}): object {
  const { instance, problems } = service(lines, more, surroundings)
  if (problems.length > 0) return { problems: problems.map(withoutPlace) }
  return setFields(instance?.containers[0])
}

function setFields(container: Container | undefined): object {
  if (container === undefined) return {}
  const { name: _, image: __, restart, stopGraceMs, ...rest } = container
  return {
    ...(restart.name === 'unless-stopped' ? {} : { restart }),
    ...(stopGraceMs === 10_000 ? {} : { stopGraceMs }),
    ...rest,
  }
}

/** The line and the pointer up to the container say nothing in these tests. */
function withoutPlace(problem: string): string {
  return problem.replace(/^\S+:\d+:\d+: /, '').replace('/services/0/containers/0/', '')
}

function indent(text: string, depth: number): string {
  return text
    .split('\n')
    .filter(line => line !== '')
    .map(line => `${' '.repeat(depth)}${line}\n`)
    .join('')
}
