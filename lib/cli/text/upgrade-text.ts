import type { UpgradeQuestion } from '../../answers/upgrade.ts'
import type { DeletedUpgrade, WaitingUpgrade } from '../../answers/version/judge-upgrades.ts'
import { sitesInWords } from '../../plan/text/by-site.ts'

/** Says which versions of one application were deleted, and what comes after them. */
export function deletedText(deleted: readonly DeletedUpgrade[]): string {
  const onTheWay = deleted.filter(({ wanted }) => wanted !== undefined)
  const wanted = [...new Set(onTheWay.flatMap(one => one.wanted ?? []))].join(', ')
  const after =
    onTheWay.length === 0
      ? 'what runs there stays until a newer version comes.'
      : `it is not installed there. ${wanted}, which is wanted on ${sitesInWords(onTheWay.map(({ site }) => site))}, comes only if an upgrade path leads to it by another way.`
  return `Deleted ${namedOnce(deleted)}: ${after}`
}

/**
 * Says how to take a deletion back, or that nobody can where no upgrade path leads to what was deleted. Without the name
 * of a version, each site gets the one that it is to have.
 * @param named the sites and the environment that somebody named; without sites, all of them were meant
 */
export function backText(
  all: readonly DeletedUpgrade[],
  named: { readonly sites?: readonly string[] | undefined; readonly environment?: string | undefined },
): string {
  const deleted = all.filter(({ hasNoPath }) => hasNoPath !== true)
  if (deleted.length === 0) return 'It cannot be installed after all: no upgrade path leads to it.'
  const names = new Set(deleted.map(({ application }) => application))
  const versions = new Set(deleted.map(({ version }) => version))
  const sites = new Set(deleted.map(({ site }) => site))
  const where = [
    ...(named.environment === undefined ? [] : ['--environment', named.environment]),
    ...(named.sites === undefined ? [] : [...sites].flatMap(site => ['--site', site])),
  ]
  const words = ['tallyman force-upgrade', ...names, ...(versions.size === 1 ? versions : []), ...where]
  return `To install it after all, also outside of the windows: ${words.join(' ')}`
}

/** Says what would be forced, and the sites on which it would not count. */
export function questionLines({ environment, wouldForce, left = [] }: UpgradeQuestion): readonly string[] {
  const way = ({ runs, version }: (typeof wouldForce)[number]) =>
    runs === undefined ? version : `${runs} → ${version}`
  return [
    `In ${environment}:`,
    ...wouldForce.map(one => `  ${one.application} on ${one.site}: ${way(one)}`),
    ...left.map(({ site, reason }) => `  not on ${site}: ${reason}`),
  ]
}

/** Returns `web 3.0.1 on a, b; blog 2 on a`. */
export function namedOnce(upgrades: readonly WaitingUpgrade[]): string {
  const alike = Map.groupBy(upgrades, ({ application, version }) => `${application} ${version}`)
  return [...alike].map(([what, on]) => `${what} on ${sitesInWords(on.map(({ site }) => site))}`).join('; ')
}
