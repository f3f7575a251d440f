import { inspect } from 'node:util'

/** The transport prints its options at every call, which is slow for what has many parts. Prints as its name from now on. */
export function quiet<T extends object>(name: string, thing: T): T {
  return Object.assign(thing, { [inspect.custom]: () => name })
}
