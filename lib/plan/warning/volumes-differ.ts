import type { Problem } from '../../errors.ts'
import type { DesiredState } from '../../state/application/desired.ts'
import { volumesOfService } from '../../state/application/members.ts'
import type { Volume } from '../../state/application/volume.ts'
import { firstAndMore } from '../../text/first-and-more.ts'
import type { MadeVolume, SiteResources } from '../resources.ts'

/**
 * Returns what is to be said of persistent volumes that are there, and were made otherwise than is wanted. An engine
 * keeps a volume as it was made, with its files, so this is no change. Values of options may be secret and are left
 * out. Pure.
 */
export function volumesDiffer(
  site: string,
  { applications }: Pick<DesiredState, 'applications'>,
  { made = [] }: SiteResources,
): readonly Problem[] {
  if (made.length === 0) return []
  const there = new Map(made.map(one => [one.name, one]))
  const wanted = applications.flatMap(({ services }) => services.flatMap(volumesOfService))
  return wanted.flatMap(volume => {
    const one = there.get(volume.name)
    const said = one && differenceOf(one, volume)
    if (said === undefined) return []
    const message = `${site}: volume ${volume.name} of ${volume.application} stays as it was made: ${said}`
    return [{ code: 'volume-differs' as const, message }]
  })
}

function differenceOf(
  there: MadeVolume,
  { driver = 'local', driverOptions = {} }: Volume,
): string | undefined {
  if (there.driver !== driver) return `its driver is ${there.driver}, and ${driver} is wanted`
  const names = [...new Set([...Object.keys(there.driverOptions), ...Object.keys(driverOptions)])].sort()
  const others = names.filter(name => there.driverOptions[name] !== driverOptions[name])
  if (others.length === 0) return undefined
  return `its "driver_opts" are not the ones that are wanted: ${firstAndMore(others, mostNames)}`
}

/** The most names of options in one warning. */
const mostNames = 5
