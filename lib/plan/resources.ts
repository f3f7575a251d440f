/** What a site already has besides containers; only asked for when something differs. */
export type SiteResources = {
  readonly site: string
  readonly networks: readonly string[]
  readonly volumes: readonly string[]
}
