import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { type IngressConfig, readIngress } from './config/ingress.ts'
import type { TallymanConfiguration as File } from './config.gen.ts'
import type { Document } from './document/document.ts'
import { parseYaml } from './document/yaml.ts'
import { Failure, InvalidInput, type Problem } from './errors.ts'
import { checkSchema } from './schema.ts'
import { parseDuration } from './spec/grammar/duration.ts'
import { readImage } from './spec/image.ts'
import { type Policy, strictPolicy } from './spec/policy.ts'

/** The configuration with every default filled in; durations in milliseconds. */
export type Config = {
  readonly repository: { readonly url: string; readonly ref?: string; readonly auth?: RepositoryAuth }
  /** Empty: the only one in the repository. */
  readonly environments: readonly string[]
  readonly poll: { readonly everyMs: number } | { readonly cron: string }
  readonly prune: 'confirm' | 'auto' | 'never'
  readonly drift: 'repair' | 'report' | 'confirm'
  readonly registry?: string
  readonly registries: readonly {
    readonly host: string
    readonly username: string
    readonly passwordFile: string
  }[]
  readonly sites: readonly Site[]
  readonly policy: Policy
  readonly sandbox: { readonly image: string }
  /** Whether images of old versions are removed, and of how many versions of each application they are kept (A6). */
  readonly images: { readonly prune: boolean; readonly keep: number }
  /** Absent: there is none, and nothing has a route. */
  readonly ingress?: IngressConfig
  readonly secrets: { readonly directory?: string; readonly ageKeyFile?: string }
  readonly healthyMs: number
  readonly approvalExpiresMs: number
  readonly stateDir: string
  readonly log: {
    readonly level: 'debug' | 'info' | 'warn' | 'error'
    readonly format: 'auto' | 'pretty' | 'json'
  }
}

export type RepositoryAuth = {
  readonly username?: string
  readonly passwordFile?: string
  readonly tokenFile?: string
}

export type Site = {
  readonly name: string
  readonly endpoint?: string
  readonly tls?: { readonly ca: string; readonly cert: string; readonly key: string }
  /** Absent: all environments. */
  readonly environments?: readonly string[]
}

/** What the command line may say; it wins over the environment variables, and those over the file. */
export type Flags = {
  readonly config?: string
  readonly repository?: string
  readonly ref?: string
  readonly environment?: readonly string[]
  readonly stateDir?: string
}

/**
 * Reads the configuration: the file named by `--config` or `TALLYMAN_CONFIG`, else `tallyman.yaml` here or in
 * `/etc/tallyman`, else none. Fails with all problems at once (`config-invalid`).
 */
export function loadConfig(flags: Flags, env: NodeJS.ProcessEnv): Config {
  const document = readDocument(flags.config ?? env['TALLYMAN_CONFIG'])
  const merged = overlay(isRecord(document.value) ? document.value : {}, flags, env)
  const checked: Document = { ...document, value: merged }
  const problems = checkSchema('config', checked)
  const [first, ...others] = problems
  if (first !== undefined) throw new InvalidInput([first, ...others])
  return withDefaults(merged as File, document)
}

/** The schema vouches for the shape; durations are read here. */
function withDefaults(file: File, document: Document): Config {
  const problems: Problem[] = []
  const fault = (pointer: string, reason: string): void => {
    const position = document.position(pointer)
    problems.push({ code: 'config-invalid', message: `${pointer}: ${reason}`, position })
  }
  const duration = (key: 'healthyTime' | 'approvalExpires', otherwise: string): number => {
    const parsed = parseDuration(file[key] ?? otherwise)
    if (parsed.ok) return parsed.value
    fault(`/${key}`, parsed.reason)
    return 0
  }
  const poll = pollOf(file.poll ?? '60s')
  if (poll === undefined)
    fault('/poll', `"${file.poll}" is neither a duration such as 60s nor a cron expression`)
  if (file.repository === undefined) {
    const hint = 'Name it with --repository, TALLYMAN_REPOSITORY or "repository: {url: …}" in tallyman.yaml.'
    problems.push({ code: 'config-invalid', message: 'no repository is configured', hint })
  }
  const sandboxImage = file.sandbox?.image ?? 'busybox:stable'
  const image = readImage(sandboxImage)
  if (!image.ok) fault('/sandbox/image', `"${sandboxImage}" ${image.reason}`)
  const ingress = readIngress(file.ingress, fault)
  const healthyMs = duration('healthyTime', '5s')
  const approvalExpiresMs = duration('approvalExpires', '24h')
  const [first, ...others] = problems
  if (first !== undefined || poll === undefined || file.repository === undefined) {
    throw new InvalidInput([
      first ?? { code: 'config-invalid', message: 'the configuration is not usable' },
      ...others,
    ])
  }
  const {
    repository,
    environments = [],
    prune = 'confirm',
    drift = 'repair',
    registry,
    registries = [],
    policy = {},
    log = {},
  } = file
  return {
    repository,
    environments,
    poll,
    prune,
    drift,
    ...(registry === undefined ? {} : { registry }),
    registries,
    sites: file.sites ?? [{ name: 'local' }],
    policy: { ...strictPolicy, ...policy, ports: { ...strictPolicy.ports, ...policy.ports } },
    sandbox: { image: sandboxImage },
    images: { prune: false, keep: 4, ...file.images },
    ...(ingress === undefined ? {} : { ingress }),
    secrets: file.secrets ?? {},
    healthyMs,
    approvalExpiresMs,
    stateDir: resolve(file.stateDir ?? defaultStateDir()),
    log: { level: 'info', format: 'auto', ...log },
  } as Config
}

function pollOf(text: string): Config['poll'] | undefined {
  const parsed = parseDuration(text)
  if (parsed.ok) return parsed.value >= 1_000 ? { everyMs: parsed.value } : undefined
  return /^\S+(\s+\S+){4,5}$/.test(text.trim()) ? { cron: text.trim() } : undefined
}

function defaultStateDir(): string {
  return process.getuid?.() === 0 ? '/var/lib/tallyman' : join(homedir(), '.local', 'state', 'tallyman')
}

function readDocument(named: string | undefined): Document {
  for (const file of named === undefined ? ['tallyman.yaml', '/etc/tallyman/tallyman.yaml'] : [named]) {
    try {
      return parseYaml(file, readFileSync(file, 'utf8'))
    } catch (error) {
      if (error instanceof InvalidInput) throw new InvalidInput(asConfigProblems(error))
      if (named !== undefined)
        throw new Failure('config-invalid', `${file}: cannot be read`, { cause: error })
    }
  }
  const nowhere = () => ({ file: 'the command line' })
  return { file: 'tallyman.yaml', value: {}, position: nowhere, keyPosition: nowhere }
}

function asConfigProblems({ problems: [first, ...others] }: InvalidInput): [Problem, ...Problem[]] {
  const coded = (problem: Problem): Problem => ({ ...problem, code: 'config-invalid' })
  return first === undefined
    ? [{ code: 'config-invalid', message: 'not readable' }]
    : [coded(first), ...others.map(coded)]
}

/** Environment variables `TALLYMAN_<KEY>` over the file, flags over both. */
function overlay(
  file: Readonly<Record<string, unknown>>,
  flags: Flags,
  env: NodeJS.ProcessEnv,
): Readonly<Record<string, unknown>> {
  const names =
    flags.environment ?? env['TALLYMAN_ENVIRONMENTS']?.split(',') ?? env['TALLYMAN_ENVIRONMENT']?.split(',')
  const simple = {
    environments: names,
    poll: env['TALLYMAN_POLL'],
    prune: env['TALLYMAN_PRUNE'],
    drift: env['TALLYMAN_DRIFT'],
    registry: env['TALLYMAN_REGISTRY'],
    healthyTime: env['TALLYMAN_HEALTHY_TIME'],
    approvalExpires: env['TALLYMAN_APPROVAL_EXPIRES'],
    stateDir: flags.stateDir ?? env['TALLYMAN_STATE_DIR'],
  }
  const given = Object.fromEntries(Object.entries(simple).filter(([, value]) => value !== undefined))
  const repository = section(file['repository'], {
    url: flags.repository ?? env['TALLYMAN_REPOSITORY'],
    ref: flags.ref ?? env['TALLYMAN_REF'],
  })
  const log = section(file['log'], { level: env['TALLYMAN_LOG_LEVEL'], format: env['TALLYMAN_LOG_FORMAT'] })
  return {
    ...file,
    ...given,
    ...(repository === undefined ? {} : { repository }),
    ...(log === undefined ? {} : { log }),
  }
}

function section(file: unknown, over: Readonly<Record<string, string | undefined>>): unknown {
  const given = Object.entries(over).filter(([, value]) => value !== undefined)
  if (given.length === 0) return file
  return { ...(isRecord(file) ? file : {}), ...Object.fromEntries(given) }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}
