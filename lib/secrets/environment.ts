const prefix = 'TALLYMAN_SECRET_'

/** Returns the variable of a secret: `db/password` is in `TALLYMAN_SECRET_DB_PASSWORD`. */
export function variableOf(name: string): string {
  return prefix + name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')
}

/**
 * Returns the secrets in the daemon's own environment, by variable. The name of a secret cannot be derived from its
 * variable.
 */
export function fromEnvironment(env: NodeJS.ProcessEnv): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(env).flatMap(([variable, text]) =>
      variable.startsWith(prefix) && text !== undefined ? [[variable, text] as const] : [],
    ),
  )
}
