import type { ShownImage } from '../../metadata/image-manifest.ts'
import { optional } from '../../object.ts'
import type { Client } from '../api/client.ts'
import { refused } from '../api/refusal.ts'

/** The part of `GET /images/{name}/json` that is used. */
type Inspected = {
  readonly Os?: string
  readonly Architecture?: string
  readonly Variant?: string
  readonly Created?: string
  readonly Author?: string
  readonly Config?: {
    readonly User?: string
    readonly Entrypoint?: readonly string[] | null
    readonly Cmd?: readonly string[] | null
    readonly Env?: readonly string[] | null
    readonly WorkingDir?: string
    readonly ExposedPorts?: object | null
    readonly Volumes?: object | null
    readonly Labels?: Readonly<Record<string, string>> | null
  } | null
}

/** Returns what an engine shows of an image that it has. */
export async function shownImage(client: Client, image: string, signal: AbortSignal): Promise<ShownImage> {
  const answer = await client.call<Inspected>({ method: 'GET', path: `/images/${image}/json` }, signal)
  if (!answer.ok) throw refused(client.site, image, answer)
  const { Os, Architecture, Variant, Created, Author, Config } = answer.body
  return {
    ...optional('os', Os),
    ...optional('architecture', Architecture),
    ...optional('variant', Variant || undefined),
    ...optional('created', Created),
    ...optional('author', Author),
    ...optional('user', Config?.User),
    ...optional('entrypoint', Config?.Entrypoint ?? undefined),
    ...optional('command', Config?.Cmd ?? undefined),
    ...optional('env', Config?.Env ?? undefined),
    ...optional('workingDir', Config?.WorkingDir),
    ports: Object.keys(Config?.ExposedPorts ?? {}),
    volumes: Object.keys(Config?.Volumes ?? {}),
    labels: Config?.Labels ?? {},
  }
}
