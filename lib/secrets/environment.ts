const prefix = 'TALLYMAN_SECRET_'

/** The variable that holds a secret: `db/password` is in `TALLYMAN_SECRET_DB_PASSWORD`. */
export function variableOf(name: string): string {
  return prefix + name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')
}

/** What the daemon's own environment holds as secrets, by variable. Names cannot be told from variables. */
export function fromEnvironment(env: NodeJS.ProcessEnv): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(env).flatMap(([variable, text]) =>
      variable.startsWith(prefix) && text !== undefined ? [[variable, text] as const] : [],
    ),
  )
}
