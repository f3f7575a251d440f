import { posix } from 'node:path'
import { Failure } from '../errors.ts'
import type { Entry, Snapshot } from '../state/snapshot.ts'

/** An environment of a repository: its name, and the directory that holds its manifest.json. */
export type EnvironmentPlace = { readonly name: string; readonly directory: string }

/**
 * Every environment of the repository: a sub-directory with a manifest.json of any directory named `environments`,
 * however deep (E1). Symlinks and submodules are passed by. In the order of their directories.
 */
export async function findEnvironments(snapshot: Snapshot): Promise<readonly EnvironmentPlace[]> {
  const found: EnvironmentPlace[] = []
  let level: readonly string[] = ['']
  for (let depth = 0; level.length > 0 && depth < deepest; depth++) {
    const listings = await Promise.all(level.map(directory => listing(snapshot, directory)))
    found.push(...listings.filter(isEnvironment).map(placeOf))
    level = listings.flatMap(subdirectories)
  }
  return found.sort((a, b) => (a.directory < b.directory ? -1 : 1))
}

/**
 * The environment that is meant: by its name, or by its directory where a name is not enough; without one, the only
 * one there is. Fails with `environment-not-found`, `environment-ambiguous` or `environment-invalid`.
 */
export function chooseEnvironment(
  found: readonly EnvironmentPlace[],
  name: string | undefined,
): EnvironmentPlace {
  const meant = found.filter(place => name === undefined || place.name === name || place.directory === name)
  const [environment, ...others] = meant
  if (environment === undefined) throw notFound(found, name)
  if (others.length > 0) throw ambiguous(meant, name)
  if (!usable.test(environment.name)) throw unusable(environment)
  return environment
}

const deepest = 64
/** It becomes part of the names of containers and networks. */
const usable = /^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,62}$/

type Listing = { readonly directory: string; readonly entries: readonly Entry[] }

async function listing(snapshot: Snapshot, directory: string): Promise<Listing> {
  return { directory, entries: await snapshot.list(directory) }
}

function isEnvironment({ directory, entries }: Listing): boolean {
  return (
    posix.basename(posix.dirname(directory)) === 'environments' &&
    entries.some(({ name, kind }) => name === 'manifest.json' && kind !== 'directory')
  )
}

function placeOf({ directory }: Listing): EnvironmentPlace {
  return { name: posix.basename(directory), directory }
}

function subdirectories({ directory, entries }: Listing): readonly string[] {
  return entries.filter(({ kind }) => kind === 'directory').map(({ name }) => posix.join(directory, name))
}

function notFound(found: readonly EnvironmentPlace[], name: string | undefined): Failure {
  if (found.length === 0)
    return new Failure('environment-not-found', 'the repository has no environments/NAME/manifest.json', {
      hint: 'Add environments/NAME/manifest.json to the repository.',
    })
  const there = found.map(place => place.name).join(', ')
  return new Failure(
    'environment-not-found',
    `environment "${name}" is not in the repository; there is ${there}`,
  )
}

function ambiguous(meant: readonly EnvironmentPlace[], name: string | undefined): Failure {
  if (name === undefined) {
    const names = meant.map(place => place.name).join(', ')
    return new Failure('environment-ambiguous', `the repository has several environments: ${names}`, {
      hint: 'Name one with --environment.',
    })
  }
  const places = meant.map(place => place.directory).join(' and ')
  return new Failure('environment-ambiguous', `environment "${name}" is in ${places}`, {
    hint: 'Name its directory instead of its name, or keep it in one place.',
  })
}

function unusable({ directory }: EnvironmentPlace): Failure {
  return new Failure(
    'environment-invalid',
    `${directory}: the name of an environment is at most 63 letters, digits, "_", "." and "-", and begins with a letter or digit`,
  )
}
