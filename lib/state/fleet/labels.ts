/**
 * What describes a site: built-in labels (`system/name`, `system/type`) and the operator's. Names are foreign text, so
 * a label is looked up with `Object.hasOwn` (A24).
 */
export type SiteLabels = Readonly<Record<string, string>>
