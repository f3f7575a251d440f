import type { SiteResources } from '../../resources.ts'
import type { Change, InstanceLine } from '../change.ts'
import { unneeded } from './clean-up.ts'

/**
 * Returns the removal of ephemeral volumes whose containers somebody else removed, as one change (A48). They belonged to
 * instances that are gone, whatever becomes of their applications: nothing would find what is in them, which may be
 * secrets (G16). Pure.
 */
export function leftOverVolumes(
  site: string,
  { leftOver = [] }: Pick<SiteResources, 'leftOver'>,
): readonly Change[] {
  if (leftOver.length === 0) return []
  return [
    unneeded(site, 'unneeded volumes', {
      reason: 'the instances that had them are gone',
      lines: leftOver.map(
        (volume): InstanceLine => ({
          sign: '-',
          name: `volume ${shown(volume.name)}`,
          reason: `${volume.instance}, which had it, is gone`,
        }),
      ),
      steps: leftOver.map(volume => ({ do: 'remove-volume', volume: volume.name })),
    }),
  ]
}

/** Of a name that the engine chose itself, returns as much as it takes to find it. */
function shown(name: string): string {
  return /^[0-9a-f]{64}$/.test(name) ? name.slice(0, 12) : name
}
