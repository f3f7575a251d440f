import { posix } from 'node:path'
import type { ErrorCode } from '../../errors/catalogue.ts'
import type { Problem } from '../../errors.ts'
import type { ServiceEntry } from '../../state/application/service-entry.ts'
import { isDocumentName, isNearly, isNearlyDocumentName } from '../../state/repository/layout.ts'
import type { Entry, Snapshot } from '../../state/repository/snapshot.ts'
import { directoriesFor, type NamedDirectory } from './named-files.ts'
import type { Specification } from './specification.ts'

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
  const misnamed = await Promise.all(
    (['applications', 'deployments'] as const).flatMap(named =>
      directoriesFor(environmentDirectory, named).map(directory => misnamedIn(snapshot, named, directory)),
    ),
  )
  return [...misnamed.flat(), ...misspelled(services, specifications)]
}

async function misnamedIn(
  snapshot: Snapshot,
  named: NamedDirectory,
  directory: string,
): Promise<readonly Problem[]> {
  const parent = posix.dirname(directory).replace(/^\.$/, '')
  const [beside, inside] = await Promise.all([snapshot.list(parent), snapshot.list(directory)])
  return [
    ...misnamedDirectories(parent, named, beside),
    ...misnamedFiles(directory, named, inside),
    ...(named === 'deployments' ? deeperDirectories(directory, inside) : []),
  ]
}

/** If there is a directory `applications`, a directory `application` may be something else. */
function misnamedDirectories(
  parent: string,
  named: NamedDirectory,
  entries: readonly Entry[],
): readonly Problem[] {
  const hasOne = entries.some(({ name }) => name === named)
  return entries
    .filter(({ name }) => isNearly(name, named))
    .filter(({ name }) => !hasOne || name.toLowerCase() === named)
    .map(({ name }) =>
      problem(
        codes[named],
        posix.join(parent, name),
        `is not looked into: ${words[named]} stand in a directory named ${named}`,
      ),
    )
}

function misnamedFiles(
  directory: string,
  named: NamedDirectory,
  entries: readonly Entry[],
): readonly Problem[] {
  return entries
    .filter(({ name }) => isNearlyDocumentName(name))
    .map(({ name }) =>
      problem(
        codes[named],
        posix.join(directory, name),
        'is not read: its name has to end in .yaml, .yml or .json, in lower case',
      ),
    )
}

/** Applications may have further files, and so directories, beside their specifications. Deployments have none. */
function deeperDirectories(directory: string, entries: readonly Entry[]): readonly Problem[] {
  return entries
    .filter(({ name, kind }) => kind === 'directory' && !isDocumentName(name))
    .map(({ name }) =>
      problem(
        codes.deployments,
        posix.join(directory, name),
        `is not looked into: ${words.deployments} stand directly in deployments`,
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
            codes.applications,
            meant.file,
            `differs in upper and lower case from the service "${name}", which runs without it`,
          ),
        ]
  })
}

const codes = {
  applications: 'application-misnamed',
  deployments: 'deployment-misnamed',
} as const satisfies Record<NamedDirectory, ErrorCode>

const words: Readonly<Record<NamedDirectory, string>> = {
  applications: 'specifications',
  deployments: 'deployment specifications',
}

function problem(code: ErrorCode, file: string, message: string): Problem {
  return { code, message, position: { file } }
}
