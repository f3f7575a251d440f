import { posix } from 'node:path'
import { Failure, InvalidInput, type Problem } from '../errors.ts'
import { type EnvironmentPlace, isMeant } from '../state/identity.ts'
import { isNearly } from '../state/repository/layout.ts'
import { obstacle } from '../state/repository/obstacle.ts'
import type { Entry, EntryPlace, Snapshot } from '../state/repository/snapshot.ts'
import { firstAndMore } from '../text/first-and-more.ts'
import { byText } from '../text/order.ts'
import { nearest } from '../text/suggestion/nearest.ts'

/**
 * Returns every environment of the repository: each sub-directory with a manifest.json of any directory named
 * `environments`, at any depth (E1). Skips symlinks and submodules. They are in the order of their directories.
 */
export async function findEnvironments(snapshot: Snapshot): Promise<readonly EnvironmentPlace[]> {
  return environmentsAmong(await lookAround(snapshot))
}

/**
 * Returns a problem for each thing that was probably meant to be an environment and is none: a directory whose manifest
 * has another name, and a symlink or the like in place of an environment or of all environments. They are in the order
 * of their directories.
 */
export async function findMisnamed(snapshot: Snapshot): Promise<readonly Problem[]> {
  return misnamedAmong(await lookAround(snapshot))
}

/**
 * Returns problems about files beside the manifest.json of an environment that may have been meant, and are no part of
 * it.
 */
export async function misnamedBeside(
  snapshot: Snapshot,
  directory: string,
  files: readonly string[],
): Promise<readonly Problem[]> {
  const beside = nearMisses(await listing(snapshot, directory))
  const read = new Set(files)
  return beside
    .filter(file => !read.has(file))
    .map(file => nearMissProblem(file, 'stands beside manifest.json, and is not read'))
}

/** Returns the environment of a snapshot that is meant, as `chooseEnvironment` does, and all that exist. */
export async function locateEnvironment(
  snapshot: Snapshot,
  name: string | undefined,
): Promise<{ readonly environment: EnvironmentPlace; readonly places: readonly EnvironmentPlace[] }> {
  const around = await lookAround(snapshot)
  const places = environmentsAmong(around)
  return { environment: chooseEnvironment(places, name, misnamedAmong(around)), places }
}

/** Where environments are, or may have been meant to be. Everything is in the order of the paths. */
type Around = {
  /** Everything with the name of a directory of environments, or nearly so. */
  readonly named: readonly EntryPlace[]
  /** The directories of these. */
  readonly parents: readonly Listing[]
  /** The directories directly in the parents. */
  readonly children: readonly Listing[]
}

async function lookAround(snapshot: Snapshot): Promise<Around> {
  const found = await snapshot.named(name => name === 'environments' || isNearly(name, 'environments'))
  const named = found.toSorted(byText(({ path }) => path))
  const list = (directories: readonly string[]) =>
    Promise.all(directories.map(directory => listing(snapshot, directory)))
  const parents = await list(named.filter(({ kind }) => kind === 'directory').map(({ path }) => path))
  return { named, parents, children: await list(parents.flatMap(subdirectories).sort()) }
}

/**
 * Returns the environment that is meant: by its name, or by its directory if the name is ambiguous; without one, the
 * only one that exists. Fails with `environment-not-found`, `environment-ambiguous` or `environment-invalid`.
 *
 * @param misnamed what may have been meant if it is not found
 */
export function chooseEnvironment(
  found: readonly EnvironmentPlace[],
  name: string | undefined,
  misnamed: readonly Problem[] = [],
): EnvironmentPlace {
  const meant = found.filter(place => name === undefined || isMeant(place, name))
  const [environment, ...others] = meant
  if (environment === undefined) throw notFound(found, name, misnamed)
  if (others.length > 0) throw ambiguous(meant, name)
  if (!usable.test(environment.name)) throw unusable(environment)
  return environment
}

/** Says what a person may have meant with an unknown name. */
export function notThere(found: readonly EnvironmentPlace[], written: string): string {
  const known = found.flatMap(({ name, directory }) => [name, directory])
  const meant = nearest(written, known)
  const there = [...new Set(found.map(({ name }) => name))].join(', ')
  const guess = meant === undefined ? '' : `; did you mean "${meant}"?`
  return `environment "${written}" is not in the repository; there is ${there}${guess}`
}

/** The name becomes part of the names of containers and networks. */
const usable = /^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,62}$/

type Listing = { readonly directory: string; readonly entries: readonly Entry[] }

async function listing(snapshot: Snapshot, directory: string): Promise<Listing> {
  return { directory, entries: await snapshot.list(directory) }
}

function isOfEnvironments({ directory }: Listing): boolean {
  return posix.basename(posix.dirname(directory)) === 'environments'
}

function hasManifest({ entries }: Listing): boolean {
  return entries.some(({ name, kind }) => name === 'manifest.json' && kind !== 'directory')
}

function environmentsAmong({ children }: Around): readonly EnvironmentPlace[] {
  return children.filter(isOfEnvironments).filter(hasManifest).map(placeOf)
}

function misnamedAmong(around: Around): readonly Problem[] {
  const { children } = around
  const unnamed = children.filter(isOfEnvironments).filter(listing => !hasManifest(listing))
  return [...obstaclesAmong(around), ...children.flatMap(misplacedIn), ...unnamed.flatMap(misnamedIn)]
}

/** Returns problems about what is in place of a directory where environments are looked for (G24). */
function obstaclesAmong({ named, parents }: Around): readonly Problem[] {
  const inPlaceOfAll = named.filter(
    ({ path, kind }) => posix.basename(path) === 'environments' && kind !== 'directory',
  )
  const inPlaceOfOne = parents
    .filter(({ directory }) => posix.basename(directory) === 'environments')
    .flatMap(({ directory, entries }) =>
      entries
        .filter(({ name, kind }) => name !== 'environments' && (kind === 'symlink' || kind === 'submodule'))
        .map(({ name, kind }) => ({ path: posix.join(directory, name), kind })),
    )
  return [...inPlaceOfAll, ...inPlaceOfOne].map(({ path, kind }) => ({
    ...obstacle(kind, 'directory'),
    position: { file: path },
  }))
}

/** Returns the problem of a manifest in a directory of `Environments` or `environment`, which is not read. */
function misplacedIn(listing: Listing): readonly Problem[] {
  const parent = posix.dirname(listing.directory)
  if (!isNearly(posix.basename(parent), 'environments') || !hasManifest(listing)) return []
  const file = posix.join(listing.directory, 'manifest.json')
  const message = `is not read: environments stand in a directory named environments, and not ${posix.basename(parent)}`
  return [
    { code: 'manifest-misnamed', message, position: { file }, hint: `Rename ${parent} to environments.` },
  ]
}

function misnamedIn(listing: Listing): readonly Problem[] {
  const file = posix.join(listing.directory, 'manifest.json')
  if (listing.entries.some(({ name }) => name === 'manifest.json'))
    return [{ ...obstacle('directory', 'regular file'), position: { file } }]
  const what = 'is not read, and its directory has no manifest.json: it is no environment'
  return nearMisses(listing).map(file => nearMissProblem(file, what))
}

function nearMisses({ directory, entries }: Listing): readonly string[] {
  return entries
    .filter(({ name, kind }) => kind === 'file' && isNearMiss(name))
    .map(({ name }) => posix.join(directory, name))
}

/** Whether a file was probably meant to be a manifest.json. */
export function isNearMiss(name: string): boolean {
  return name !== 'manifest.json' && /^manifests?\.(json|ya?ml)$/i.test(name)
}

function nearMissProblem(file: string, what: string): Problem {
  return { code: 'manifest-misnamed', message: what, position: { file } }
}

function placeOf({ directory }: Listing): EnvironmentPlace {
  return { name: posix.basename(directory), directory }
}

function subdirectories({ directory, entries }: Listing): readonly string[] {
  return entries.filter(({ kind }) => kind === 'directory').map(({ name }) => posix.join(directory, name))
}

function notFound(
  found: readonly EnvironmentPlace[],
  name: string | undefined,
  misnamed: readonly Problem[],
): Failure {
  const near = misnamed.find(({ position }) => isWritten(position?.file ?? ''))
  if (near !== undefined && near.code !== 'manifest-misnamed') throw new InvalidInput([near])
  const renamed =
    near === undefined
      ? {}
      : { hint: near.hint ?? `${near.position?.file} is not read: rename it to manifest.json, as JSON.` }
  if (found.length === 0)
    return new Failure('environment-not-found', 'the repository has no environments/NAME/manifest.json', {
      hint: 'Add environments/NAME/manifest.json to the repository.',
      ...renamed,
    })
  return new Failure('environment-not-found', notThere(found, name ?? ''), renamed)

  /** Whether it is in place of the environment, in it, or in place of the directory of all environments. */
  function isWritten(place: string): boolean {
    if (name === undefined || (found.length === 0 && posix.basename(place) === 'environments')) return true
    return [place, posix.dirname(place)].some(directory =>
      isMeant({ name: posix.basename(directory), directory }, name),
    )
  }
}

/** Nobody reads more of them. */
const mostNamed = 50

function ambiguous(meant: readonly EnvironmentPlace[], name: string | undefined): Failure {
  if (name === undefined) {
    const byName = Map.groupBy(meant, place => place.name)
    const isTwice = (place: EnvironmentPlace) => (byName.get(place.name)?.length ?? 0) > 1
    const names = meant.map(place => (isTwice(place) ? place.directory : place.name))
    const told = firstAndMore(names, mostNamed)
    return new Failure('environment-ambiguous', `the repository has several environments: ${told}`, {
      hint: 'Name one with --environment.',
    })
  }
  const places = meant.map(({ directory }) => posix.join(directory, 'manifest.json')).join(' and ')
  return new Failure('environment-ambiguous', `environment "${name}" is in ${places}`)
}

function unusable({ directory }: EnvironmentPlace): Failure {
  return new Failure(
    'environment-invalid',
    `${directory}: the name of an environment is at most 63 letters, digits, "_", "." and "-", and begins with a letter or digit`,
  )
}
