import { posix } from 'node:path'
import { Failure, InvalidInput } from '../errors.ts'
import { spliceEntry } from '../manifest/splice-entry.ts'
import { loadManifest } from '../manifest/tree.ts'
import { deploymentReader } from '../spec/deployment/reader.ts'
import { spliceVersion } from '../spec/deployment/splice-version.ts'
import type { ServiceEntry } from '../state/application/service-entry.ts'
import type { Deployment } from '../state/fleet/deployment.ts'
import { shortCommit } from '../state/repository/revision.ts'
import { changesOnSites } from './of-sites.ts'
import { isSameEntry } from './same-entry.ts'
import { type Changes, documentsBehind, restored, type Side, textAt } from './side.ts'

/** What is to be as it was: an application of the environment in a directory. */
export type ApplicationWish = {
  readonly directory: string
  readonly application: string
  /** The version that was asked for; absent: whatever the commit has. */
  readonly version?: string
}

/**
 * Returns the smallest change of files that should bring an application back: its entry in the manifest, its
 * specification, the version that its deployment names, and what single sites have of it. Fails with `rollback-refused`.
 */
export async function changesForApplication(wish: ApplicationWish, now: Side, then: Side): Promise<Changes> {
  const { directory, application } = wish
  const isIt = (name: string) => name === application
  const specifications = await documentsBehind({ directory, kind: 'applications', isMeant: isIt }, now, then)
  return new Map([
    ...(await restored(specifications, now, then)),
    ...(await changeOfEntry(wish, now, then)),
    ...(await changeOfVersion(wish, now, then)),
    ...(await changesOnSites(wish, now, then)),
  ])
}

async function changeOfEntry(
  { directory, application }: ApplicationWish,
  now: Side,
  then: Side,
): Promise<Changes> {
  const [own, before] = [await manifestIn(directory, now), await manifestIn(directory, then)]
  const [entry, earlier] = [entryOf(own.services, application), entryOf(before.services, application)]
  if (earlier === undefined && entry === undefined) return new Map()
  if (earlier === undefined)
    throw new Failure(
      'rollback-refused',
      `${application}: the manifest did not name it in ${shortCommit(then.commit)}, and does so by now`,
    )
  if (entry !== undefined && isSameEntry(entry, earlier)) return new Map()
  const place = earlier.position.file
  const file = entry?.position.file ?? (own.files.includes(place) ? place : manifestOf(directory))
  const { mark, text } = await textAt(now, file)
  const at = await textAt(then, place)
  const spliced = spliceEntry(application, { file, text }, { file: place, text: at.text })
  return new Map([[file, Buffer.from(`${mark}${spliced}`)]])
}

async function manifestIn(
  directory: string,
  { commit, snapshot }: Side,
): Promise<Awaited<ReturnType<typeof loadManifest>>> {
  try {
    return await loadManifest(snapshot, manifestOf(directory))
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    throw new Failure(
      'rollback-refused',
      `the manifest of ${directory} cannot be read in ${shortCommit(commit)}: ${error.message}`,
      {
        cause: error,
        hint: 'Bring back the environment as a whole with "tallyman rollback --to COMMIT", or correct the manifest.',
      },
    )
  }
}

function manifestOf(directory: string): string {
  return posix.join(directory, 'manifest.json')
}

function entryOf(services: readonly ServiceEntry[], application: string): ServiceEntry | undefined {
  return services.find(({ name }) => name === application)
}

/** A deployment that names no version follows the repository, and so the revert. */
async function changeOfVersion(
  { directory, application, version }: ApplicationWish,
  now: Side,
  then: Side,
): Promise<Changes> {
  const own = await deploymentIn(directory, now, application)
  if (own?.deployment.version === undefined) return new Map()
  const before = (await deploymentIn(directory, then, application))?.deployment.version
  const isAsked = before === undefined || version === undefined || before === version
  const wanted = (isAsked ? before : version) ?? '*'
  if (wanted === own.deployment.version) return new Map()
  const { mark, text } = await textAt(now, own.file)
  return new Map([[own.file, Buffer.from(`${mark}${spliceVersion(own.file, text, wanted)}`)]])
}

async function deploymentIn(
  directory: string,
  { snapshot }: Side,
  application: string,
): Promise<{ readonly file: string; readonly deployment: Deployment } | undefined> {
  const files = [...(await deploymentReader(snapshot)(directory)).values()]
  return files
    .filter(file => file.state === 'valid')
    .find(({ deployment }) => deployment.application === application)
}
