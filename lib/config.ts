import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Checked, checked } from './config/checked.ts'
import { type Durations, readDurations } from './config/durations.ts'
import { besideFile, type ConfigFile, findFile, type Origin, passedOverText } from './config/find-file.ts'
import { readGrants } from './config/grants.ts'
import { type IngressConfig, readIngressConfig } from './config/ingress-config.ts'
import { faultMeeting, type NoteFault } from './config/listeners.ts'
import { type MetadataConfig, readMetadataConfig } from './config/metadata-config.ts'
import { type Flags, overlay } from './config/overlay.ts'
import { noFile, parseConfig } from './config/parse.ts'
import { type Poll, pollOf } from './config/poll.ts'
import { foundSites, type WrongSite } from './config/site/found-sites.ts'
import { sharedSites } from './config/site/shared-site.ts'
import { noFiles, readSiteFiles, type SiteReader } from './config/site/site-files.ts'
import { readSiteList } from './config/site/site-list.ts'
import { faultProfiles, type Site } from './config/site/sites.ts'
import { spellingsAs } from './config/spellings.ts'
import { twins } from './config/twins.ts'
import { readVerify, type VerifyConfig } from './config/verify.ts'
import type { TallymanConfiguration as File } from './config.gen.ts'
import { type Document, shownPointer } from './document/document.ts'
import { InvalidInput, type Problem } from './errors.ts'
import { isRecord, optional } from './object.ts'
import type { RegistryAccount } from './registry/credentials.ts'
import { checkSchema, withoutFaults } from './schema.ts'
import { readImage } from './spec/image.ts'
import { type Policy, strictPolicy } from './spec/policy/policy.ts'
import type { GitAuth } from './state/repository/git-auth.ts'
import { defaultSite } from './state/site.ts'

/** The configuration with every default filled in. Durations are in milliseconds. */
export type Config = Durations & {
  readonly origin: Origin
  readonly repository: {
    readonly url: string
    readonly name?: string
    readonly ref?: string
    readonly auth?: GitAuth
    /** The author of commits that Tallyman makes; absent: whoever asks for them. */
    readonly author?: { readonly name: string; readonly email: string }
    /** Absent: signatures are not required. */
    readonly verify?: VerifyConfig
  }
  /** Empty: the only one in the repository. */
  readonly environments: readonly string[]
  readonly poll: Poll
  readonly prune: 'confirm' | 'auto' | 'never'
  readonly drift: 'repair' | 'report' | 'confirm'
  readonly registry?: string
  readonly registries: readonly RegistryAccount[]
  /** Those of the list, and those of files that can be used. */
  readonly sites: readonly Site[]
  /** No site is named, so the engine of this machine is the only one. Absent: some are. */
  readonly namesNoSite?: true
  /** The files of sites that cannot be used. Commands refuse to work with them, and a daemon leaves these sites alone. */
  readonly wrongSites: readonly WrongSite[]
  /** The path of the directory of sites; absent: there is none. */
  readonly sitesDirectory?: string
  readonly policy: Policy
  readonly sandbox: { readonly image: string }
  /** Absent: the apps of pods are told nothing. */
  readonly metadata?: MetadataConfig
  /** Whether images of old versions are removed, and for how many versions of each application they are kept (A6). */
  readonly images: { readonly prune: boolean; readonly keep: number }
  /** Absent: there is none, and nothing has a route. */
  readonly ingress?: IngressConfig
  readonly secrets: { readonly directory?: string; readonly ageKeyFile?: string }
  /** Whether what is forgiven with a warning in pod manifests is an error. */
  readonly strict: boolean
  /** How many failed containers of a kind stay for people to look at. */
  readonly keepFailed: number
  readonly stateDir: string
  readonly log: {
    readonly level: 'debug' | 'info' | 'warn' | 'error'
    readonly format: 'auto' | 'pretty' | 'json'
  }
}

/**
 * Loads the configuration: the file that `--config` or `TALLYMAN_CONFIG` names, or else `tallyman.yaml` in the working
 * directory unless it lies among manifests, or else the one in `/etc/tallyman`, or else none. Fails with
 * `config-invalid` and all problems at once.
 * @param otherwise the repository if none is named
 * @param how `read` reads the files of sites; `connects`: whether this process goes to engines, because a site without an
 *   endpoint is judged by its variables then
 */
export function loadConfig(
  flags: Flags,
  env: NodeJS.ProcessEnv,
  otherwise?: string,
  { read = readSiteFiles, connects = true }: { readonly read?: SiteReader; readonly connects?: boolean } = {},
): Config {
  const repositoryIn = (document: Document) =>
    flags.repository ?? env['TALLYMAN_REPOSITORY'] ?? urlIn(document.value)
  const parse = ({ file, text }: ConfigFile) => parseConfig(file, text)
  const { found, origin } = findFile(flags.config ?? env['TALLYMAN_CONFIG'], file =>
    repositoryIn(parse(file)),
  )
  const document = found === undefined ? noFile : parse(found)
  const isNamed = otherwise === undefined || repositoryIn(document) !== undefined
  const place = { origin, read, env, ...(connects ? { docker: env } : {}) }
  return configOf(document, isNamed ? flags : { ...flags, repository: otherwise }, place)
}

function urlIn(value: unknown): string | undefined {
  const repository = isRecord(value) ? value['repository'] : undefined
  const url = isRecord(repository) ? repository['url'] : undefined
  return typeof url === 'string' ? url : undefined
}

/**
 * Returns the configuration of a file by itself, with the files of sites that belong to it, or all that is wrong in them.
 * The repository may be named elsewhere.
 */
export function checkConfig(file: string, text: string): Checked<Config> {
  return checked(() => {
    const document = parseConfig(file, text)
    const isNamed = isRecord(document.value) && document.value['repository'] !== undefined
    const place = { origin: { file: resolve(file) }, read: readSiteFiles }
    const config = configOf(document, isNamed ? {} : { repository: '.' }, place)
    refuseWrongSites(config)
    return config
  })
}

/** Fails with all problems of the files of sites, if there are any. */
export function refuseWrongSites({ wrongSites }: Pick<Config, 'wrongSites'>): void {
  const [first, ...others] = wrongSites.flatMap(({ problems }) => problems)
  if (first !== undefined) throw new InvalidInput([first, ...others])
}

/** Where a configuration comes from, and how the files of sites are read that belong to it. */
type Place = {
  readonly origin: Origin
  readonly read: SiteReader
  /** The environment variables of who reads it. */
  readonly env?: NodeJS.ProcessEnv
  /** Those of who goes to the engines; absent: nobody knows them. */
  readonly docker?: NodeJS.ProcessEnv
}

function configOf(document: Document, flags: Flags, place: Place): Config {
  const merged = overlay(document, flags, place.env ?? {})
  const [first, ...others] = checkSchema('config', merged)
  if (first === undefined) return withDefaults(merged.value as File, merged, place)
  const rest = withoutFaults('config', merged)
  const { problems: more } = checked(() => rest && withDefaults(rest.document.value as File, merged, place))
  throw new InvalidInput([first, ...others, ...more.filter(({ position }) => position !== undefined)])
}

/** Fills in defaults. The schema guarantees the shape; durations are read here. */
function withDefaults(file: File, document: Document, { origin, read, docker }: Place): Config {
  const problems: Problem[] = []
  const fault = (pointer: string, reason: string): void => {
    const position = document.position(pointer)
    problems.push({ code: 'config-invalid', message: `${shownPointer(pointer)}: ${reason}`, position })
  }
  const poll = pollOf(file.poll ?? '60s')
  if ('reason' in poll) fault('/poll', poll.reason)
  if (file.repository === undefined) {
    const usual = 'Name it with --repository, TALLYMAN_REPOSITORY or "repository: {url: …}" in tallyman.yaml.'
    const { passedOver } = origin
    const hint = passedOver === undefined ? usual : `${usual} ${passedOverText(passedOver)}.`
    problems.push({ code: 'config-invalid', message: 'no repository is configured', hint })
  }
  for (const { pointer, reason } of twins(file)) fault(pointer, reason)
  const sandboxImage = file.sandbox?.image ?? 'busybox:stable'
  const image = readImage(sandboxImage)
  if (!image.ok) fault('/sandbox/image', `"${sandboxImage}" ${image.reason}`)
  const metadata = readMetadataConfig(file.metadata, fault)
  const ingress = readIngressConfig(file.ingress, fault)
  const verify = readVerify(file.repository?.verify, fault)
  const { siteProfiles = {} } = file
  faultProfiles(siteProfiles, fault)
  const sitesDirectory = besideFile(file.sitesDirectory, origin)
  const usualSites = sitesDirectory === undefined ? [{ name: defaultSite }] : []
  const beside = { profiles: siteProfiles, ...optional('env', docker) }
  const listed = readSiteList(file.sites ?? usualSites, beside, fault)
  const meeting = (sites: readonly Site[], note: NoteFault): void => {
    if (ingress === undefined || ingress.isExternal) return
    faultMeeting(
      ingress.environments,
      (one, other) => sharedSites(sites, spellingsAs(one), spellingsAs(other))[0],
      note,
    )
  }
  meeting(listed, fault)
  const grants = readGrants(file.policy?.applications, fault)
  const durations = readDurations(file, fault)
  const [first, ...others] = problems
  if (first !== undefined || 'reason' in poll || file.repository === undefined) {
    throw new InvalidInput([
      first ?? { code: 'config-invalid', message: 'the configuration is not usable' },
      ...others,
    ])
  }
  const {
    repository: { verify: _, ...repository },
    environments = [],
    prune = 'confirm',
    drift = 'repair',
    registry,
    registries = [],
    policy = {},
    log = {},
  } = file
  return {
    origin,
    repository: { ...repository, ...(verify === undefined ? {} : { verify }) },
    environments,
    poll,
    prune,
    drift,
    ...(registry === undefined ? {} : { registry }),
    registries,
    ...optional('sitesDirectory', sitesDirectory),
    ...(file.sites === undefined && sitesDirectory === undefined ? { namesNoSite: true } : {}),
    ...foundSites(listed, sitesDirectory === undefined ? noFiles : read(sitesDirectory, beside, meeting)),
    policy: {
      ...strictPolicy,
      ...policy,
      ports: { ...strictPolicy.ports, ...policy.ports },
      applications: grants,
    },
    sandbox: { image: sandboxImage },
    ...optional('metadata', metadata),
    images: { prune: false, keep: 4, ...file.images },
    ...(ingress === undefined ? {} : { ingress }),
    secrets: file.secrets ?? {},
    ...durations,
    strict: file.strict ?? false,
    keepFailed: file.keepFailed ?? 0,
    stateDir: resolve(file.stateDir ?? defaultStateDir()),
    log: { level: 'info', format: 'auto', ...log },
  } as Config
}

function defaultStateDir(): string {
  return process.getuid?.() === 0 ? '/var/lib/tallyman' : join(homedir(), '.local', 'state', 'tallyman')
}
