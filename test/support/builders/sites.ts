import { readSiteEntry, type Site } from '../../../lib/config/site/sites.ts'
import type { Config } from '../../../lib/config.ts'
import { optional } from '../../../lib/object.ts'

/** A site as a test writes it. */
export type SiteEntry = Omit<Site, 'labels'>

/** What an operator configures otherwise than the defaults. */
export type TestConfig = Partial<Omit<Config, 'sites'>> & { readonly sites?: readonly SiteEntry[] }

/** Returns a site as the configuration reads it: with the labels that every site has. */
export function asSite({ environments, windows, managers, ...entry }: SiteEntry): Site {
  const site = readSiteEntry(entry, { profiles: {} }, '', (pointer, reason) => {
    throw new Error(`${pointer}: ${reason}`)
  })
  return {
    ...site,
    ...optional('managers', managers),
    ...optional('environments', environments),
    ...optional('windows', windows),
  }
}

/** Returns a configuration with the changes that a test makes to it. */
export function configWith(usual: Config, { sites, ...rest }: TestConfig = {}): Config {
  return { ...usual, ...rest, ...(sites === undefined ? {} : { sites: sites.map(asSite) }) }
}
