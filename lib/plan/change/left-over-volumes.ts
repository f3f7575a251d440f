import type { SiteResources } from '../resources.ts'
import type { Change } from './change.ts'
import { clearance } from './clearance.ts'

/**
 * Returns the removal of ephemeral volumes whose containers somebody else removed (A48). They belonged to an instance
 * that is gone, whatever becomes of its application.
 */
export function leftOverVolumes(site: string, { leftOver = [] }: SiteResources): readonly Change[] {
  return leftOver.map(volume =>
    clearance({
      site,
      application: volume,
      service: `volume ${volume}`,
      cause: 'diverged',
      reason,
      lines: [{ sign: '-', name: `volume ${volume}`, reason }],
      steps: [{ do: 'remove-volume', volume }],
      after: [],
    }),
  )
}

const reason = 'its instance is gone'
