import type { Journal } from '../../../journal/journal.ts'
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
  const count = laterCount(journal, environment, site, containers)
  if (count === undefined) return
  journal.atOnce(() => {
    journal.countFrom(environment, site, count)
    journal.putAside(environment, site)
  })
  memory.convergence.forget()
  log.warn(restored(site))
}

/** Returns what a later state of this journal had counted, as what it made on the site shows; undefined: there was none. */
export function laterCount(
  journal: Pick<Journal, 'laterCount'>,
  environment: string,
  site: string,
  containers: LiveState['containers'],
): number | undefined {
  const records = new Set(containers.flatMap(({ record = [] }) => record))
  return journal.laterCount(environment, site, records)
}

function restored(site: string): string {
  return `${site}: something there was made after the last that this state directory has on record, as if it was restored from a backup. What runs is not taken for drift`
}
