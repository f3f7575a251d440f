/** The body of `POST /containers/create`, or a part of it, in the form of the Engine API. */
export type ContainerConfig = Readonly<Record<string, unknown>>

/** Leaves out what is undefined, so that the engine decides about it (G2). */
export function defined(fields: ContainerConfig): ContainerConfig {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
