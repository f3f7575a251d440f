import { posix } from 'node:path'
import { isDocumentName, isNearly, isNearlyDocumentName } from '../../state/repository/layout.ts'
import type { Snapshot } from '../../state/repository/snapshot.ts'
import type { Files } from '../specification/named-files.ts'

/**
 * Returns the files that were probably meant to be in a directory of deployments, by their paths: those with a wrong
 * ending there, those in directories below it, and those in a directory beside it that has nearly its name, or in one
 * of its name that stands among the environments.
 */
export async function strayDeployments(
  snapshot: Snapshot,
  directory: string,
): Promise<ReadonlyMap<string, Files>> {
  const parent = posix.dirname(directory).replace(/^\.$/, '')
  const environments = posix.join(parent, 'environments')
  const [inside, beside, among] = await Promise.all(
    [directory, parent, environments].map(place => documentsIn(snapshot, place)),
  )
  const isMeant = (name: string) => name === 'deployments' || isNearly(name, 'deployments')
  const places = [
    ...(inside?.directories ?? []),
    ...(beside?.directories ?? []).filter(path => isNearly(posix.basename(path), 'deployments')),
    ...(among?.directories ?? []).filter(path => isMeant(posix.basename(path))),
  ]
  const below = await Promise.all(places.map(place => documentsBelow(snapshot, place)))
  const misnamed = (inside?.files ?? []).filter(({ name }) => isNearlyDocumentName(name))
  return new Map([...misnamed, ...below.flat()].map(entry => [entry.file, [entry]]))
}

type Entries = { readonly files: Files; readonly directories: readonly string[] }

/** An environment has a manifest, whatever it is called, and what is in it is its own. */
async function documentsBelow(snapshot: Snapshot, directory: string): Promise<Files> {
  const { files, directories } = await documentsIn(snapshot, directory)
  if (files.some(({ name }) => name === 'manifest.json')) return []
  const below = await Promise.all(directories.map(one => documentsBelow(snapshot, one)))
  return [...files, ...below.flat()]
}

async function documentsIn(snapshot: Snapshot, directory: string): Promise<Entries> {
  const entries = (await snapshot.kind(directory)) === 'directory' ? await snapshot.list(directory) : []
  const placed = entries.map(entry => ({ ...entry, file: posix.join(directory, entry.name) }))
  const isDocument = ({ name }: { readonly name: string }) =>
    isDocumentName(name) || isNearlyDocumentName(name)
  return {
    files: placed.filter(isDocument),
    directories: placed.flatMap(entry =>
      entry.kind === 'directory' && !isDocument(entry) ? [entry.file] : [],
    ),
  }
}
