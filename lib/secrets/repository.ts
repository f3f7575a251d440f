import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import { Failure, type Problem } from '../errors.ts'
import { readRegularText } from '../file/read-regular.ts'
import type { Snapshot } from '../state/repository/snapshot.ts'
import { type Identities, parseIdentities } from './age.ts'
import { emptyProvider, faulty, type Provided } from './provided.ts'

/** Where the age keys are: in a file, or in the two variables of SOPS. */
export type AgeKeys = { readonly ageKeyFile?: string; readonly env: NodeJS.ProcessEnv }

/**
 * The result of the last decryption, so that an unchanged document is decrypted once, and those of the documents of
 * sites, by their directories.
 */
export type SopsMemory = {
  last?: { readonly digest: string; readonly provided: Provided }
  sites?: Map<string, SopsMemory>
}

/** Returns what is remembered of the document of a site. */
export function memoryOfSite(memory: SopsMemory, siteDirectory: string): SopsMemory {
  memory.sites ??= new Map()
  const own = memory.sites.get(siteDirectory) ?? {}
  memory.sites.set(siteDirectory, own)
  return own
}

/**
 * Returns the secrets of an environment, or of one of its sites, that the repository keeps encrypted with SOPS, in
 * `secrets.yaml`, `.yml` or `.json` in that directory. Without such a file there are none, and no age key is needed.
 */
export async function fromRepository(
  snapshot: Snapshot,
  ownDirectory: string,
  keys: AgeKeys,
  memory: SopsMemory,
): Promise<Provided> {
  try {
    const file = await findFile(snapshot, ownDirectory)
    if (file === undefined) return emptyProvider
    const text = await snapshot.read(file)
    const identities = await readIdentities(keys)
    const digest = createHash('sha256')
      .update(JSON.stringify([file, text, identities]))
      .digest('hex')
    if (memory.last?.digest !== digest) memory.last = { digest, provided: await open(file, text, identities) }
    return memory.last.provided
  } catch (error) {
    return faulty(error)
  }
}

const names = ['secrets.yaml', 'secrets.yml', 'secrets.json']

async function findFile(snapshot: Snapshot, directory: string): Promise<string | undefined> {
  const there = (await snapshot.list(directory)).map(({ name }) => name).filter(name => names.includes(name))
  const [first, ...others] = there
  if (others.length > 0)
    throw new Failure(
      'secrets-unreadable',
      `${directory}: holds ${there.join(' and ')}; keep only one of them`,
    )
  return first === undefined ? undefined : posix.join(directory, first)
}

async function open(file: string, text: string, identities: Identities): Promise<Provided> {
  try {
    const { decryptSops } = await import('./sops.ts')
    return wellFormed(file, await decryptSops(file, text, identities))
  } catch (error) {
    return faulty(error)
  }
}

/** Only JSON can spell a text that is none: half of a surrogate pair has no bytes, and no program can be given it. */
function wellFormed(file: string, all: ReadonlyMap<string, string>): Provided {
  const names = [...all].flatMap(([name, text]) => (text.isWellFormed() ? [] : [name]))
  if (names.length === 0) return { texts: all }
  const unreadable = new Map(
    names.map((name): [string, Problem] => {
      const message = `${file}: ${JSON.stringify(name)} holds half of a surrogate pair, which is no character`
      return [name, { code: 'secrets-unreadable', message }]
    }),
  )
  const texts = new Map([...all].filter(([name]) => !unreadable.has(name)))
  return { texts, unreadable, warnings: [...unreadable.values()] }
}

/** Reads the keys anew each time, so that a key that is added later is found. */
async function readIdentities({ ageKeyFile, env }: AgeKeys): Promise<Identities> {
  const file = ageKeyFile ?? env['SOPS_AGE_KEY_FILE']
  return [
    ...(file === undefined ? [] : parseIdentities(file, await readKeyFile(file))),
    ...parseIdentities('SOPS_AGE_KEY', env['SOPS_AGE_KEY'] ?? ''),
  ]
}

async function readKeyFile(file: string): Promise<string> {
  try {
    return await readRegularText(file)
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error'
    throw new Failure('secrets-undecryptable', `${file}: the age keys cannot be read (${reason})`, { cause })
  }
}
