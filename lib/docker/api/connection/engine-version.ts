/** The part of the answer to `GET /version` that is used. Something else than an engine may answer otherwise. */
export type EngineVersion = {
  readonly ApiVersion?: string
  readonly Version?: string
  readonly Components?: readonly { readonly Name?: string; readonly Version?: string }[] | null
}

/**
 * Returns the name of an engine that speaks Docker's API and is not Docker's, from its first component: `Podman Engine
 * 4.3.1`. Undefined for Docker's own, under whatever name it is built, and if there is no name.
 */
export function otherEngine({ Components }: EngineVersion): string | undefined {
  const [first] = Array.isArray(Components) ? Components : []
  const { Name: name, Version: version = '' } = first ?? {}
  if (typeof name !== 'string' || !/podman/i.test(name)) return undefined
  return `${name} ${version}`.trim()
}
