/**
 * What describes a site: built-in labels (`system/name`, `system/type`) and the operator's. Names are foreign text, so
 * a label is looked up with `Object.hasOwn`, and the configuration makes the object without a prototype (A24).
 */
export type SiteLabels = Readonly<Record<string, string>>

/** The labels that every site has without anybody writing them (A24). */
export const builtIn = { name: 'system/name', type: 'system/type' } as const

/** The kind of a site that says no other (A24). */
export const usualType = 'edge'

/** Returns labels without a prototype. A later entry takes the place of an earlier one. */
export function labelsOf(entries: Iterable<readonly [string, string]>): SiteLabels {
  return Object.assign(Object.create(null), Object.fromEntries(entries))
}

/** Returns what a label of a site says; undefined: it has no such label. */
export function siteLabel(site: SiteLabels, label: string): string | undefined {
  return Object.hasOwn(site, label) ? site[label] : undefined
}
