/** What `GET /version` answers, as far as it is used. Whatever listens there may answer otherwise. */
export type EngineVersion = {
  readonly ApiVersion?: string
  readonly Components?: readonly { readonly Name?: string; readonly Version?: string }[] | null
}

/**
 * Which engine it is that speaks Docker's API and is not Docker's, by the name of its first component:
 * `Podman Engine 4.3.1`. Undefined for Docker's own, under whichever name it is built, and where nothing is said.
 */
export function otherEngine({ Components }: EngineVersion): string | undefined {
  const [first] = Array.isArray(Components) ? Components : []
  const { Name: name, Version: version = '' } = first ?? {}
  if (typeof name !== 'string' || !/podman/i.test(name)) return undefined
  return `${name} ${version}`.trim()
}
