import { posix } from 'node:path'
import { InvalidInput } from '../errors.ts'
import { removeEntry, spliceEntry } from '../manifest/splice-entry.ts'
import { loadManifest, type ManifestTree } from '../manifest/tree.ts'
import {
  noVariablesText,
  spliceVariables,
  type VariablesText,
  variablesIn,
  variablesText,
} from '../spec/splice-variables.ts'
import { documentNameOf } from '../state/repository/layout.ts'
import { isSameEntry, meaningsOf } from './same-entry.ts'
import { type Changes, documentsIn, restored, type Side, textAt } from './side.ts'

/**
 * Returns the change of files by which an application should be as it was on single sites, too (A70): in each directory
 * below `sites/`, its specification, its entry in the manifest, and its variables. What else stands in these files stays
 * there. Secrets do, too.
 */
export async function changesOnSites(
  { directory, application }: { readonly directory: string; readonly application: string },
  now: Side,
  then: Side,
): Promise<Changes> {
  const changes = new Map<string, Buffer | undefined>()
  for (const site of await siteDirectoriesOf(directory, now, then)) {
    const specifications = [
      ...(await documentsIn(now, posix.join(site, 'applications'))),
      ...(await documentsIn(then, posix.join(site, 'applications'))),
    ].filter(path => documentNameOf(posix.basename(path)) === application)
    const all = [
      await restored(specifications, now, then),
      await changeOfManifest(site, application, now, then),
      await changeOfVariables(site, application, now, then),
    ]
    for (const some of all) for (const [path, bytes] of some) changes.set(path, bytes)
  }
  return changes
}

async function siteDirectoriesOf(directory: string, ...sides: readonly Side[]): Promise<readonly string[]> {
  const parent = posix.join(directory, 'sites')
  const found = await Promise.all(
    sides.map(async ({ snapshot }) =>
      (await snapshot.kind(parent)) === 'directory' ? snapshot.list(parent) : [],
    ),
  )
  const names = found.flat().flatMap(({ name, kind }) => (kind === 'directory' ? name : []))
  return [...new Set(names)].sort().map(name => posix.join(parent, name))
}

/** What the manifest of a site says with all that it includes; absent: it cannot be read. */
async function manifestAt({ snapshot }: Side, file: string): Promise<ManifestTree | undefined> {
  if ((await snapshot.kind(file)) === 'missing') return nothing
  try {
    return await loadManifest(snapshot, file)
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    return undefined
  }
}

const nothing: ManifestTree = { services: [], skipConfirmation: false, warnings: [], files: [] }

/**
 * The file is taken whole where it says of nothing else something else, so that one that came goes, and one that went
 * comes back. Otherwise it is only the entry, wherever that stands.
 */
async function changeOfManifest(site: string, application: string, now: Side, then: Side): Promise<Changes> {
  const file = posix.join(site, 'manifest.json')
  const [own, before] = [await manifestAt(now, file), await manifestAt(then, file)]
  if (before === undefined) return new Map()
  if (own === undefined) return restored([file, ...before.files], now, then)
  const isIt = ({ name }: { readonly name: string }) => name === application
  const [entry, earlier] = [own.services.find(isIt), before.services.find(isIt)]
  if (isSameEntry(entry, earlier)) return new Map()
  const others = (tree: ManifestTree) => meaningsOf(tree.services.filter(one => !isIt(one)))
  const whole = others(own) === others(before) ? await restored([file], now, then) : new Map()
  if (whole.size > 0) return whole
  if (earlier === undefined) {
    const from = entry?.position.file ?? file
    const { mark, text } = await textAt(now, from)
    return written(from, mark, removeEntry(application, { file: from, text }))
  }
  const place = earlier.position.file
  const to = entry?.position.file ?? (own.files.includes(place) ? place : file)
  const { mark, text } = await textAt(now, to)
  const at = { file: place, text: (await textAt(then, place)).text }
  return written(to, mark, spliceEntry(application, { file: to, text: text || emptyManifest }, at))
}

const emptyManifest = '{"services": []}\n'

/** Like that of the manifest. */
async function changeOfVariables(site: string, application: string, now: Side, then: Side): Promise<Changes> {
  const isVariables = (path: string) => documentNameOf(posix.basename(path)) === 'variables'
  const [own, before] = [
    (await documentsIn(now, site)).filter(isVariables),
    (await documentsIn(then, site)).filter(isVariables),
  ]
  const files = [...own, ...before]
  const [here, there] = [await variablesAt(now, own, before), await variablesAt(then, before, own)]
  if (there === undefined) return new Map()
  if (here === undefined) return restored(files, now, then)
  const isSame = (isMeant: (name: string) => boolean) =>
    variablesText(only(here.values, isMeant)) === variablesText(only(there.values, isMeant))
  if (isSame(name => name === application)) return new Map()
  if (isSame(name => name !== application)) return restored(files, now, then)
  return written(here.file, here.mark, spliceVariables(application, here, there))
}

type Variables = VariablesText & {
  readonly mark: string
  readonly values: ReadonlyMap<string, unknown>
}

/**
 * The variables of a site; undefined: they cannot be read. Without a file, there are none, and it would be called as on
 * the other side.
 */
async function variablesAt(
  side: Side,
  files: readonly string[],
  otherwise: readonly string[],
): Promise<Variables | undefined> {
  const [file, ...more] = files
  if (file === undefined) {
    const [named = ''] = otherwise
    return { file: named, mark: '', text: noVariablesText(named), values: new Map() }
  }
  if (more.length > 0) return undefined
  const { mark, text } = await textAt(side, file)
  try {
    return { file, mark, text, values: variablesIn({ file, text }) }
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    return undefined
  }
}

function only(
  values: ReadonlyMap<string, unknown>,
  isMeant: (name: string) => boolean,
): ReadonlyMap<string, unknown> {
  return new Map([...values].filter(([name]) => isMeant(name)))
}

function written(file: string, mark: string, text: string): Changes {
  return new Map([[file, Buffer.from(`${mark}${text}`)]])
}
