/** What a site has besides containers. It is asked for only if something differs. */
export type SiteResources = {
  readonly site: string
  readonly networks: readonly string[]
  readonly volumes: readonly string[]
}
