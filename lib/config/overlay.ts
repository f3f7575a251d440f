/** The flags of the command line. They take precedence over the environment variables, and those over the file. */
export type Flags = {
  readonly config?: string
  readonly repository?: string
  readonly ref?: string
  readonly environment?: readonly string[]
  readonly stateDir?: string
}

/** Puts environment variables `TALLYMAN_<KEY>` over the file, and flags over both. */
export function overlay(
  file: Readonly<Record<string, unknown>>,
  flags: Flags,
  env: NodeJS.ProcessEnv,
): Readonly<Record<string, unknown>> {
  const names =
    flags.environment ??
    (env['TALLYMAN_ENVIRONMENTS'] ?? env['TALLYMAN_ENVIRONMENT'])?.split(',').map(name => name.trim())
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
    name: env['TALLYMAN_REPOSITORY_NAME'],
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

/** Whether a value is an object with keys. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}
