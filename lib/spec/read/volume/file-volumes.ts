import type { Parsed } from '../../../state/parsed.ts'
import { malformed, parsed } from '../../../state/parsed.ts'
import type { Text } from '../../../state/secret/secret.ts'
import type { Secrets } from '../../../state/secret/secrets.ts'
import { foreignToPrograms } from '../../../text/foreign-to-programs.ts'
import type { Volume } from '../../application.gen.ts'
import { isPresent } from '../../present.ts'
import type { Spot } from '../../spot.ts'
import { readNames, readSecret, vaultName } from '../value/secret.ts'

/** A file of a volume, before it is mounted anywhere. */
export type NamedFile = { readonly name: string; readonly content: Text }

/** Reads `config-map`: files with the contents that the specification gives (A45). */
export function readConfigMap(
  items: NonNullable<Volume['config-map']>['items'],
  spot: Spot,
): readonly NamedFile[] {
  return readFiles(items, spot, ({ data }) => data)
}

/** Reads `secret`: files whose contents are secrets (G16). */
export function readSecretItems(
  items: NonNullable<Volume['secret']>['items'],
  secrets: Secrets,
  spot: Spot,
): readonly NamedFile[] {
  return readFiles(items, spot, ({ secret }, at) => readSecret(secret, secrets, at.at('secret')))
}

/** The files of a volume. */
export type VolumeFiles = {
  readonly files: readonly NamedFile[]
  /** Returns the file of that name; undefined: it cannot have one. Absent: it has no other files than these. */
  readonly fileNamed?: (name: string) => NamedFile | undefined
}

/**
 * Reads `vault-secret`: one file for each key of the secret, with the name of the key (A45). If its keys are not known,
 * it has a file of any name, and one of them stands for all.
 */
export function readVault(vault: string, secret: string, secrets: Secrets, spot: Spot): VolumeFiles {
  const prefix = vaultName(vault, secret, '')
  const names = readNames(prefix, secrets, spot)
  const fileOf = (name: string): NamedFile | undefined => {
    const content = readSecret(`${prefix}${name}`, secrets, spot)
    return spot.take(parseFileName(name)) === undefined || content === undefined
      ? undefined
      : { name, content }
  }
  const files = (names ?? ['any']).map(fileOf).filter(isPresent)
  if (names !== undefined) return { files }
  return { files, fileNamed: name => (parseFileName(name).ok ? fileOf(name) : undefined) }
}

/** Parses one component of a path, which cannot lead out of its directory (G24). */
function parseFileName(text: string): Parsed<string> {
  if (text === '' || text === '.' || text === '..') return malformed(`"${text}" is no name of a file`)
  if (text.includes('/')) return malformed(`"${text}" has a slash in a name of a file`)
  // A key of a secret comes from outside of the file that names the secret.
  const reason = foreignToPrograms(text)
  if (reason !== undefined) return malformed(`is the name of a file that ${reason}`)
  return Buffer.byteLength(text) > 255 ? malformed('is longer than 255 bytes') : parsed(text)
}

function readFiles<Item extends { readonly name: string }>(
  items: readonly Item[],
  spot: Spot,
  contentOf: (item: Item, spot: Spot) => Text | undefined,
): readonly NamedFile[] {
  const names = new Set<string>()
  return items
    .map((item, index): NamedFile | undefined => {
      const at = spot.at(index)
      if (names.has(item.name)) at.at('name').fault(`is "${item.name}" a second time`)
      names.add(item.name)
      const name = at.at('name').take(parseFileName(item.name))
      const content = contentOf(item, at)
      return name === undefined || content === undefined ? undefined : { name, content }
    })
    .filter(isPresent)
}
