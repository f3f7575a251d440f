/** Where programs are looked up in an app of a pod with a section of its own (C12, X16). */
export const searchPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** The variable in which apps of pods find the metadata service (C12). */
export const urlVariable = 'AC_METADATA_URL'

/** Returns the variables in which an app of a pod is told what it is (C12). */
export function toldToApp(app: string) {
  return { AC_APP_NAME: app, container: 'tallyman' } as const
}

/** Whether only Tallyman sets a variable of an app of a pod. */
export function isTaken(name: string): boolean {
  return Object.hasOwn(toldToApp(''), name) || name === urlVariable
}

/** The names by which a hook is told for what it runs (H8). */
export type HookFacts = {
  readonly application: string
  readonly service: string
  readonly environment: string
  readonly hook: string
}

/** Returns the variables in which a hook is told for what it runs (H8). */
export function toldToHook({ application, service, environment, hook }: HookFacts) {
  return {
    TALLYMAN_APPLICATION: application,
    TALLYMAN_SERVICE: service,
    TALLYMAN_ENVIRONMENT: environment,
    TALLYMAN_HOOK: hook,
  } as const
}

/**
 * Whether Tallyman itself says a variable and everybody may read it: a name that stands in every plan, or what all apps
 * of pods have. The address of the metadata service is none of them, because it has a token (G16).
 * @param pair the name, `=` and the value
 */
export function isToldToAll(pair: string): boolean {
  const name = pair.slice(0, pair.indexOf('='))
  return names.has(name) || pairs.has(pair)
}

const names: ReadonlySet<string> = new Set([
  'AC_APP_NAME',
  ...Object.keys(toldToHook({ application: '', service: '', environment: '', hook: '' })),
])

/** Programs of other people have variables of these names, too. */
const pairs: ReadonlySet<string> = new Set([`PATH=${searchPath}`, `container=${toldToApp('').container}`])
