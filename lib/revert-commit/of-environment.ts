import { posix } from 'node:path'
import { InvalidInput } from '../errors.ts'
import { loadManifest } from '../manifest/tree.ts'
import { deploymentReader } from '../spec/deployment/reader.ts'
import { isDocumentName } from '../state/repository/layout.ts'
import { type Changes, documentsBehind, restored, type Side } from './side.ts'

/**
 * Returns the change of files that should bring an environment back: its manifest with all that it includes, its own
 * specifications and deployments, the shared ones that it used, and what single sites have of their own. Secrets are left
 * as they are: what was renewed since stays renewed.
 */
export async function changesForEnvironment(directory: string, now: Side, then: Side): Promise<Changes> {
  const used = await usedIn(directory, then)
  const isUsed = (name: string, isOwn: boolean) => isOwn || used.applications.has(name)
  const paths = [
    ...used.files,
    posix.join(directory, 'manifest.json'),
    ...(await documentsBehind({ directory, kind: 'applications', isMeant: isUsed }, now, then)),
    ...(await documentsBehind({ directory, kind: 'deployments', isMeant: () => true }, now, then)),
    ...(await filesOfSites(directory, now)),
    ...(await filesOfSites(directory, then)),
  ]
  return restored(paths, now, then)
}

type Used = { readonly files: readonly string[]; readonly applications: ReadonlySet<string> }

async function usedIn(directory: string, side: Side): Promise<Used> {
  const { files, services } = await manifestIn(side, directory)
  const deployed = [...(await deploymentReader(side.snapshot)(directory)).values()].flatMap(file =>
    file.state === 'valid' ? file.deployment.application : [],
  )
  return { files, applications: new Set([...services.map(({ name }) => name), ...deployed]) }
}

/** What cannot be read was not used either. */
async function manifestIn({ snapshot }: Side, directory: string) {
  try {
    return await loadManifest(snapshot, posix.join(directory, 'manifest.json'))
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    return { files: [], services: [] }
  }
}

/** The files below `sites/` that say what single sites have of their own (A70). */
async function filesOfSites(directory: string, side: Side): Promise<readonly string[]> {
  const { snapshot } = side
  const all = posix.join(directory, 'sites')
  if ((await snapshot.kind(all)) !== 'directory') return []
  const sites = (await snapshot.list(all)).filter(({ kind }) => kind === 'directory')
  const found = sites.map(async ({ name }) => {
    const site = posix.join(all, name)
    const has = async (below: string) =>
      (await snapshot.kind(below)) === 'directory' ? snapshot.list(below) : []
    const own = (await has(site)).filter(one => isDocumentName(one.name) && !one.name.startsWith('secrets.'))
    const applications = posix.join(site, 'applications')
    const specifications = (await has(applications)).filter(one => isDocumentName(one.name))
    const { files } = own.some(one => one.name === 'manifest.json')
      ? await manifestIn(side, site)
      : { files: [] }
    return [
      ...own.map(one => posix.join(site, one.name)),
      ...specifications.map(one => posix.join(applications, one.name)),
      ...files,
    ]
  })
  return (await Promise.all(found)).flat()
}
