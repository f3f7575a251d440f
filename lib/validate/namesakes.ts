import { posix } from 'node:path'
import type { Problem } from '../errors.ts'
import { asDirectory, type EnvironmentPlace, isMeant } from '../state/identity.ts'
import type { Findings } from './findings.ts'

/**
 * Returns what is said of environments that bear one name, or names that differ in upper and lower case only. They are
 * two environments, which a person may take for one. If the operator names one of them by the name that both have,
 * nobody knows which is meant, and nothing of it is deployed. Nothing is said if each is named by its directory.
 *
 * @param named the environments that the operator runs, as written in the configuration; undefined if that is not known
 */
export function namesakes(
  places: readonly EnvironmentPlace[],
  named: readonly string[] | undefined = [],
): Findings {
  const directories = new Set(named.map(asDirectory))
  const isNamedApart = ({ directory }: EnvironmentPlace) => directories.has(directory)
  const alike = Map.groupBy(places, ({ name }) => name.toLowerCase())
  const groups = [...alike.values()].filter(group => group.length > 1 && !group.every(isNamedApart))
  const found = groups.flatMap(group => {
    const isAmbiguous = named.some(written => group.filter(place => isMeant(place, written)).length > 1)
    return secondOf(group).map(problem => ({ isAmbiguous, problem }))
  })
  const { problems = [], warnings = [] } = Object.groupBy(found, ({ isAmbiguous }) =>
    isAmbiguous ? 'problems' : 'warnings',
  )
  return {
    problems: problems.map(({ problem }) => problem),
    warnings: warnings.map(({ problem }) => problem),
  }
}

function secondOf(group: readonly EnvironmentPlace[]): readonly Problem[] {
  return group.flatMap((place, index): readonly Problem[] => {
    const before = group.slice(0, index)
    const namesake = before.find(({ name }) => name === place.name)
    const other = namesake ?? before[0]
    if (other === undefined) return []
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
