/**
 * The labels of a site, by which deployments select it. Their names come from files, so the object has no
 * prototype: `constructor` is a label only if somebody wrote it.
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
