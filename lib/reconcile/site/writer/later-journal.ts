import type { LiveState } from '../../../state/running/live.ts'
import type { SiteWorld } from '../site.ts'

/**
 * If something on a site was made by a later state of this journal, the journal was restored from a backup, and what it
 * knows of the site is not what was brought about last. It is put aside as if somebody else had written there, so that
 * nothing is taken back as drift (D17, G25). Says so once.
 */
export function heedLater(
  { world: { journal, log }, engine: { site }, memory }: SiteWorld,
  environment: string,
  { containers }: LiveState,
): void {
  const records = new Set(containers.flatMap(({ record = [] }) => record))
  const count = journal.laterCount(environment, site, records)
  if (count === undefined) return
  journal.atOnce(() => {
    journal.countFrom(environment, site, count)
    journal.putAside(environment, site)
  })
  memory.convergence.forget()
  log.warn(restored(site))
}

function restored(site: string): string {
  return `${site}: something there was made after the last that this state directory has on record, as if it was restored from a backup. What runs is not taken for drift`
}
