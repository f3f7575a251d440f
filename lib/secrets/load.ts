import { createHmac } from 'node:crypto'
import { posix } from 'node:path'
import type { Problem } from '../errors.ts'
import type { Snapshot } from '../state/repository/snapshot.ts'
import { Secret } from '../state/secret/secret.ts'
import type { Secrets } from '../state/secret/secrets.ts'
import { byText } from '../text/order.ts'
import { fromEnvironment, variableOf } from './environment.ts'
import { fromFiles } from './files.ts'
import type { Provided } from './provided.ts'
import { fromRepository, memoryOfSite, type SopsMemory } from './repository.ts'

/** Where secrets come from, and what their marks are made with. */
export type SecretSources = {
  readonly config: { readonly directory?: string; readonly ageKeyFile?: string }
  readonly env: NodeJS.ProcessEnv
  /** The result of `markKey`. */
  readonly key: Uint8Array
  /** One for each environment, `{}` at first. The caller keeps it between passes. */
  readonly memory: SopsMemory
  /** Receives every secret that there is, and every text that is composed of secrets, so that they can be hidden (G16). */
  readonly redaction: Learning & { onSite(site: string): Learning }
}

type Learning = { learn(secrets: readonly string[]): void; learnComposed(text: string): void }

/** The secrets of an environment, and those of its sites. */
export type EnvironmentSecrets = Secrets & {
  /**
   * Returns the secrets of a site, by its directory: those of its own file go before all others (A71). Nothing else is
   * read anew.
   */
  onSite(siteDirectory: string): Promise<Secrets>
}

/**
 * Returns the secrets of one environment as they are now: those of the repository, or else of the directory, or else of
 * the environment variables. The first provider that has a secret wins. Reads files and variables again at each call,
 * and decrypts only what changed. Never fails: what cannot be read becomes the `fault` of the result (G16).
 */
export async function loadSecrets(
  snapshot: Snapshot,
  environmentDirectory: string,
  { config, env, key, memory, redaction }: SecretSources,
): Promise<EnvironmentSecrets> {
  const { directory, ageKeyFile } = config
  const keys = { env, ...(ageKeyFile === undefined ? {} : { ageKeyFile }) }
  const [repository, files] = await Promise.all([
    fromRepository(snapshot, environmentDirectory, keys, memory),
    fromFiles(directory),
  ])
  const variables = fromEnvironment(env)
  redaction.learn([repository.texts, files.texts, variables].flatMap(texts => [...texts.values()]))
  return {
    ...secretsOf([repository, files], variables, key, redaction),
    async onSite(siteDirectory) {
      const own = await fromRepository(snapshot, siteDirectory, keys, memoryOfSite(memory, siteDirectory))
      const learning = redaction.onSite(posix.basename(siteDirectory))
      learning.learn([...own.texts.values()])
      return secretsOf([own, repository, files], variables, key, learning)
    },
  }
}

function secretsOf(
  providers: readonly Provided[],
  variables: ReadonlyMap<string, string>,
  key: Uint8Array,
  redaction: Learning,
): Secrets {
  const markOf = (text: string) => createHmac('sha256', key).update(text).digest('hex').slice(0, 16)
  const secretOf = (text: string) => new Secret(text, markOf(text))
  const claims = claimsOf(providers, variables)
  const [fault] = providers.flatMap(({ fault }) => (fault === undefined ? [] : [fault]))
  const warnings = providers.flatMap(({ warnings }) => warnings ?? [])
  return {
    compose(text) {
      redaction.learnComposed(text)
      return secretOf(text)
    },
    find(name) {
      if (claims.rival(name) !== undefined) return undefined
      const text = textOf(providers, variables, name)
      return text === undefined ? undefined : secretOf(text)
    },
    unreadable: name => providerOf(providers, name)?.unreadable?.get(name),
    rival: claims.rival,
    below: prefix => namesBelow(providers, prefix),
    mark: markOf(JSON.stringify([providers.map(contentOf), sorted(variables)])),
    ...(fault === undefined ? {} : { fault }),
    ...(warnings.length === 0 ? {} : { warnings }),
  }
}

/**
 * Records which name reads which variable: `db-password` and `DB_PASSWORD` would read the same one. The first name that
 * asks gets it, and no other name does: one of the two is a mistake, and nobody knows which.
 */
function claimsOf(providers: readonly Provided[], variables: ReadonlyMap<string, string>) {
  const claimants = new Map<string, string>()
  return {
    rival(name: string) {
      const variable = variableOf(name)
      if (!variables.has(variable) || providerOf(providers, name) !== undefined) return undefined
      const first = claimants.get(variable) ?? name
      claimants.set(variable, first)
      return first === name ? undefined : { name: first, place: variable }
    },
  }
}

/**
 * Returns the provider that decides about a secret. One that cannot be read ends the search: a later one, or a
 * variable, might return a value that it overrides.
 */
function providerOf(providers: readonly Provided[], name: string): Provided | undefined {
  return providers.find(
    ({ texts, unreadable, fault }) =>
      fault !== undefined || texts.has(name) || unreadable?.has(name) === true,
  )
}

function textOf(
  providers: readonly Provided[],
  variables: ReadonlyMap<string, string>,
  name: string,
): string | undefined {
  const provider = providerOf(providers, name)
  return provider === undefined ? variables.get(variableOf(name)) : provider.texts.get(name)
}

/** Includes the names of files that cannot be read, because their absence would go unnoticed. */
function namesBelow(providers: readonly Provided[], prefix: string): readonly string[] {
  const names = new Set<string>()
  for (const { texts, unreadable } of providers)
    for (const name of [...texts.keys(), ...(unreadable?.keys() ?? [])])
      if (name.startsWith(prefix) && name !== prefix) names.add(name.slice(prefix.length))
  return [...names].sort()
}

/** Sorts the content, so that it does not depend on the file system. */
function contentOf({ texts, unreadable, fault }: Provided): readonly unknown[] {
  return [sorted(texts), [...(unreadable?.keys() ?? [])].sort(), describe(fault)]
}

function sorted(texts: ReadonlyMap<string, string>): readonly (readonly [string, string])[] {
  return [...texts].sort(byText(([name]) => name))
}

function describe(fault: Problem | undefined): string {
  return fault === undefined ? '' : `${fault.code} ${fault.message}`
}
