import { basename, dirname, extname } from 'node:path'
import { type Config, checkConfig } from '../config.ts'
import { parseJson } from '../document/json.ts'
import { parseYaml } from '../document/yaml.ts'
import { Failure, InvalidInput } from '../errors.ts'
import { isNearMiss } from '../manifest/environments.ts'
import { parseManifest } from '../manifest/file.ts'
import { optional } from '../object.ts'
import { buildContext, type ResolveContext } from '../resolve.ts'
import { findingsAlone } from '../spec/build/alone.ts'
import { inFileOrder } from '../spec/build/in-file-order.ts'
import { parseDeployment } from '../spec/deployment/parse.ts'
import { parseSpecification } from '../spec/specification/specification.ts'
import type { EnvironmentPlace } from '../state/identity.ts'
import type { Findings } from './findings.ts'

/** The kind of a single file, and what was found in it. */
export type FileFindings = Findings & {
  /** Absent if it is unknown, because the file cannot be read. */
  readonly kind?: FileKind
  /** That of a configuration in which nothing is wrong. */
  readonly config?: Config
}

export type FileKind =
  | 'manifest'
  | 'application specification'
  | 'pod manifest'
  | 'deployment specification'
  | 'configuration'

/**
 * Returns what is wrong in one file by itself: a manifest without its includes, a specification in the versions that it
 * names, a deployment without its application, or a configuration. Its name decides which it is, or else its keys; fails with `wrong-usage` if neither does.
 *
 * @param context called only for a specification: a configuration is checked without a usable one
 */
export function validateFile(path: string, text: string, context: () => ResolveContext): FileFindings {
  const named = kindByName(path)
  const keys = named === undefined ? keysIn(path, text) : []
  if ('problems' in keys) return { ...keys, warnings: [] }
  const kind = named ?? kindByKeys(path, keys)
  switch (kind) {
    case 'manifest':
      return { kind, problems: parseManifest(path, text).problems, warnings: [] }
    case 'application specification':
    case 'pod manifest':
      return findingsOf(path, text, context())
    case 'deployment specification':
      return { kind, ...findingsOfDeployment(path, text) }
    case 'configuration':
      return { kind, ...findingsOfConfig(path, text) }
    case undefined:
      throw new Failure(
        'wrong-usage',
        `${path}: is not a manifest, an application specification, a deployment specification or a configuration`,
        {
          hint: 'Name a manifest.json, a file of an applications or deployments directory, a tallyman.yaml, or the directory of a repository.',
        },
      )
  }
}

function findingsOf(path: string, text: string, context: ResolveContext): FileFindings {
  const build = buildContext(environmentOf(path), context)
  const specification = parseSpecification(path, text)
  const { problems, warnings } = findingsAlone(specification, build)
  const isPod = specification.state === 'valid' && specification.kind === 'pod'
  const kind = isPod ? 'pod manifest' : 'application specification'
  return { kind, problems: inFileOrder(problems), warnings: inFileOrder(warnings) }
}

function findingsOfDeployment(path: string, text: string): Findings {
  const file = parseDeployment(path, text)
  return { problems: file.state === 'valid' ? [] : inFileOrder(file.problems), warnings: [] }
}

function findingsOfConfig(path: string, text: string): Omit<FileFindings, 'kind'> {
  const { value, problems } = checkConfig(path, text)
  return { problems: inFileOrder(problems), warnings: [], ...optional('config', value) }
}

function kindByName(path: string): FileKind | undefined {
  const name = basename(path)
  const above = basename(dirname(dirname(path)))
  if (/^tallyman\.ya?ml$/.test(name)) return 'configuration'
  if (name === 'manifest.json') return 'manifest'
  if (above === 'environments' && isNearMiss(name))
    throw new Failure('manifest-misnamed', `${path}: is not read: a manifest is named manifest.json`)
  return kindsByDirectory.get(basename(dirname(path)))
}

const kindsByDirectory: ReadonlyMap<string, FileKind> = new Map([
  ['applications', 'application specification'],
  ['deployments', 'deployment specification'],
])

function kindByKeys(path: string, keys: readonly string[]): FileKind | undefined {
  const has = (...some: readonly string[]) => some.some(key => keys.includes(key))
  if (has('repository', 'stateDir', 'sites', 'poll', 'policy')) return 'configuration'
  if (has('placement', 'deploy-to-sites')) return 'deployment specification'
  if (has('name', 'acKind', 'acVersion')) return 'application specification'
  if (extname(path) === '.json')
    return has('services', 'includes', 'skipConfirmation') ? 'manifest' : undefined
  return has('services') ? 'application specification' : undefined
}

/** A problem that keeps the file from being read is returned instead of its keys. */
function keysIn(path: string, text: string): readonly string[] | Pick<Findings, 'problems'> {
  try {
    const { value } = extname(path) === '.json' ? parseJson(path, text) : parseYaml(path, text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : []
  } catch (error) {
    if (error instanceof InvalidInput) return { problems: error.problems }
    throw error
  }
}

/**
 * Returns the environment in whose directory a specification is. Any other specification is valid for all environments.
 */
function environmentOf(path: string): EnvironmentPlace {
  const environment = dirname(dirname(path))
  const name = basename(dirname(environment)) === 'environments' ? basename(environment) : 'prod'
  return { name, directory: `environments/${name}` }
}
