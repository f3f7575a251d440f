import { posix } from 'node:path'
import type { Problem } from '../errors.ts'
import { type EnvironmentPlace, isMeant } from '../state/identity.ts'
import type { Findings } from './findings.ts'

/**
 * Returns what is said of environments that bear one name, or names that differ in upper and lower case only: a person
 * may take them for one. If the operator names one of them by the name that two have, nobody knows which is meant, and
 * nothing of it is deployed.
 *
 * @param named the environments that the operator runs, as written in the configuration; undefined if that is not known
 */
export function namesakes(
  places: readonly EnvironmentPlace[],
  named: readonly string[] | undefined,
): Findings {
  const alike = [...Map.groupBy(places, ({ name }) => name.toLowerCase()).values()]
  if (named === undefined) return { problems: [], warnings: alike.flatMap(secondOf) }
  const meant = named.map(written => places.filter(place => isMeant(place, written)))
  return { problems: meant.flatMap(secondOf), warnings: [] }
}

function secondOf(group: readonly EnvironmentPlace[]): readonly Problem[] {
  const firstOfName = new Map<string, EnvironmentPlace>()
  return group.flatMap((place): readonly Problem[] => {
    const namesake = firstOfName.get(place.name)
    if (namesake === undefined) firstOfName.set(place.name, place)
    const other = namesake ?? group[0]
    if (other === undefined || other === place) return []
    const message =
      namesake === undefined
        ? `is another environment than ${fileOf(other)}: the names differ only in upper and lower case`
        : `is another environment of the name ${place.name}, which ${fileOf(other)} has too`
    return [{ code: 'environment-ambiguous', message, position: { file: fileOf(place) } }]
  })
}

function fileOf({ directory }: EnvironmentPlace): string {
  return posix.join(directory, 'manifest.json')
}
