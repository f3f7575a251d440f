import type { Position } from '../../errors.ts'
import { optional } from '../../object.ts'
import type { AskingOf, AskingPlaces } from '../../state/application/swarm/asking.ts'
import type { Service as Written } from '../application.gen.ts'
import { places as palletPlaces } from '../pallet/pallet.ts'
import { type VolumeOwner, volumeName } from '../read/volume/volumes.ts'
import type { Spot } from '../spot.ts'

/**
 * Returns where services say what they ask of the nodes of a Swarm; undefined if none of them asks anything. Lines are
 * looked up only for those that do.
 */
export function askingPlaces(
  services: readonly Written[],
  owner: VolumeOwner,
  spot: Spot,
): AskingOf | undefined {
  const asking = services.flatMap((service, index) => {
    const places = placesOf(service, owner, spot.at(index))
    const { labels, spread, volumes } = places
    return labels === undefined && spread.length + volumes.size === 0 ? [] : [[service.name, places] as const]
  })
  return asking.length === 0 ? undefined : new Map(asking)
}

function placesOf({ placement = {}, ...service }: Written, owner: VolumeOwner, spot: Spot): AskingPlaces {
  const at = spot.at('placement')
  const labels = 'match-host-labels'
  const spread = 'spread-over'
  return {
    ...optional('labels', placement[labels] === undefined ? undefined : at.at(labels).position()),
    spread: placement[spread]?.map((_, index) => at.at(spread, index).position()) ?? [],
    volumes: new Map([...impliedBy(service, owner, spot), ...writtenBy(service, owner, spot)]),
  }
}

type At = readonly [volume: string, position: Position]

/** Those of the Pallet contract need not be written. */
function impliedBy({ pallet }: Pick<Written, 'pallet'>, owner: VolumeOwner, spot: Spot): readonly At[] {
  if (pallet === undefined) return []
  const position = spot.at('pallet').position()
  return [...palletPlaces.values()].map((name): At => [volumeName(owner, name), position])
}

function writtenBy(
  { volumes = [] }: Pick<Written, 'volumes'>,
  owner: VolumeOwner,
  spot: Spot,
): readonly At[] {
  const key = 'persistent-volume'
  return volumes.flatMap((volume, index): readonly At[] =>
    volume[key] === undefined
      ? []
      : [[volumeName(owner, volume.name), spot.at('volumes', index, key).position()]],
  )
}
