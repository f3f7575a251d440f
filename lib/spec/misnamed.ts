import { posix } from 'node:path'
import type { Problem } from '../errors.ts'
import type { ServiceEntry } from '../state/application/service-entry.ts'
import { isNearly, isNearlyDocumentName } from '../state/repository/layout.ts'
import type { Entry, Snapshot } from '../state/repository/snapshot.ts'
import type { Specification } from './specification.ts'
import { directoriesFor } from './specifications.ts'

/**
 * Returns warnings about what was probably meant to be a specification of this environment, and is not read because of
 * the name of the file, the directory or the service.
 */
export async function misnamedSpecifications(
  snapshot: Snapshot,
  environmentDirectory: string,
  services: readonly ServiceEntry[],
  specifications: ReadonlyMap<string, Specification>,
): Promise<readonly Problem[]> {
  const directories = await Promise.all(
    directoriesFor(environmentDirectory).map(async directory => {
      const parent = posix.dirname(directory).replace(/^\.$/, '')
      const [beside, inside] = await Promise.all([snapshot.list(parent), snapshot.list(directory)])
      return [...misnamedDirectories(parent, beside), ...misnamedFiles(directory, inside)]
    }),
  )
  return [...directories.flat(), ...misspelled(services, specifications)]
}

/** If there is a directory `applications`, a directory `application` may be something else. */
function misnamedDirectories(parent: string, entries: readonly Entry[]): readonly Problem[] {
  const hasOne = entries.some(({ name }) => name === 'applications')
  return entries
    .filter(({ name }) => isNearly(name, 'applications'))
    .filter(({ name }) => !hasOne || name.toLowerCase() === 'applications')
    .map(({ name }) =>
      problem(
        posix.join(parent, name),
        'is not looked into: specifications stand in a directory named applications',
      ),
    )
}

function misnamedFiles(directory: string, entries: readonly Entry[]): readonly Problem[] {
  return entries
    .filter(({ name }) => isNearlyDocumentName(name))
    .map(({ name }) =>
      problem(
        posix.join(directory, name),
        'is not read: its name has to end in .yaml, .yml or .json, in lower case',
      ),
    )
}

/** Names of services are case-sensitive, and so are names of files. */
function misspelled(
  services: readonly ServiceEntry[],
  specifications: ReadonlyMap<string, Specification>,
): readonly Problem[] {
  const named = new Set(services.map(({ name }) => name))
  const unnamed = new Map(
    [...specifications].filter(([name]) => !named.has(name)).map(([name, one]) => [name.toLowerCase(), one]),
  )
  return services.flatMap(({ name }) => {
    const meant = specifications.has(name) ? undefined : unnamed.get(name.toLowerCase())
    return meant === undefined
      ? []
      : [
          problem(
            meant.file,
            `differs in upper and lower case from the service "${name}", which runs without it`,
          ),
        ]
  })
}

function problem(file: string, message: string): Problem {
  return { code: 'application-misnamed', message, position: { file } }
}
