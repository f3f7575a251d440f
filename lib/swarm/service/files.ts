import type { Client } from '../../docker/api/client.ts'
import { nameTaken } from '../../docker/name-taken.ts'
import { ownFilter, ownLabels } from '../../docker/ownership.ts'
import type { ContainerPlace, Provenance } from '../../plan/step/container-place.ts'
import type { Container, File } from '../../state/application/container/container.ts'
import { hashOf } from '../../state/canonical.ts'
import { type Identity, isOurs } from '../../state/identity.ts'
import { type Labels, label, labelOf } from '../../state/labels.ts'
import { Secret } from '../../state/secret/secret.ts'
import { reveal } from '../../state/secret/text.ts'
import { askFor, askManager, failureOnSwarm } from '../api/asked.ts'
import { servicesBy } from '../api/services.ts'
import type { KeptFile } from './container-spec.ts'

/** A config or a secret, as a manager lists it. Of a secret it never tells the content. */
type Held = { readonly ID: string; readonly Spec: { readonly Name: string; readonly Labels: Labels } }

const kinds = ['config', 'secret'] as const
type Kind = (typeof kinds)[number]

/** The configs and secrets of files of an environment. */
export type HeldFiles = Readonly<Record<Kind, readonly Held[]>>

/**
 * Returns where the files of a container are kept: those that nobody may read as secrets, the others as configs. They
 * cannot be changed, so each has the hash of its content in its name.
 */
export function filesOf(
  { environment }: Identity,
  { files = [] }: Pick<Container, 'files'>,
): readonly Wanted[] {
  return files.map(file => {
    const kind = file.content instanceof Secret ? 'secret' : 'config'
    return { file, kind, name: `${shortName(environment)}-${hashOf(file.content).slice(0, 16)}` }
  })
}

/** How many characters of the name of a config or a secret, which has 64 at most, are left beside a hash of 16. */
const mostCharacters = 47

/** Names begin and end with a letter or a digit, so what is too long is cut at its end, and has a hash of the whole. */
function shortName(environment: string): string {
  if (environment.length <= mostCharacters) return environment
  const hash = hashOf(environment).slice(0, 8)
  return `${environment.slice(0, mostCharacters - hash.length - 1)}-${hash}`
}

type Wanted = Omit<KeptFile, 'id'> & { readonly file: File }

/**
 * Makes a config or a secret of each file, and returns them by their ids. One that exists is left as it is. Fails with
 * `name-taken` if it is another's, and with `service-changed` if one is gone right after.
 * @param there what the owner has, asked for when it is needed
 */
export async function keepFiles(
  client: Client,
  { placement, spec }: { readonly placement: ContainerPlace; readonly spec: Container },
  provenance: Provenance,
  there: (signal: AbortSignal) => Promise<HeldFiles>,
  signal: AbortSignal,
): Promise<readonly KeptFile[]> {
  const wanted = filesOf(provenance, spec)
  if (wanted.length === 0) return []
  const held = await there(signal)
  const ids = new Map(kinds.flatMap(kind => held[kind].map(one => [`${kind} ${one.Spec.Name}`, one.ID])))
  const kept: KeptFile[] = []
  for (const file of wanted) {
    const { kind, name } = file
    const labels = { ...ownLabels(provenance, placement.application), [label.service]: placement.service }
    const id = ids.get(`${kind} ${name}`) ?? (await makeFile(client, file, labels, provenance, signal))
    ids.set(`${kind} ${name}`, id)
    kept.push({ ...file, id })
  }
  return kept
}

/** Returns the id of a file that was made, by us or meanwhile for another service with the same file. */
async function makeFile(
  client: Client,
  { kind, name, file }: Wanted,
  Labels: Readonly<Record<string, string>>,
  owner: Identity,
  signal: AbortSignal,
): Promise<string> {
  const body = { Name: name, Labels, Data: Buffer.from(reveal(file.content)).toString('base64') }
  const request = { method: 'POST', path: `/${kind}s/create`, body } as const
  const answer = await client.call<Pick<Held, 'ID'>>(request, signal)
  if (answer.ok) return answer.body.ID
  const resource = `${kind} ${name}`
  if (answer.status !== 409) throw failureOnSwarm(client.site, resource, answer)
  const found = await askFor<Held>(client, resource, { method: 'GET', path: `/${kind}s/${name}` }, signal)
  if (!isOurs(found.Spec.Labels, owner)) throw nameTaken(client.site, resource, found.Spec.Labels)
  return found.ID
}

/** Removes the files of the environment that no service names, now or in the specification before. */
export async function forgetFiles(client: Client, whose: Identity, signal: AbortSignal): Promise<void> {
  // One that is needed again by now is refused, and removed by a later rollout.
  for (const { kind, id } of await unneeded(client, whose, signal))
    await client.call({ method: 'DELETE', path: `/${kind}s/${id}` }, signal)
}

/** Returns the names of the files of the environment that `forgetFiles` would remove, sorted. */
export async function listUnneededFiles(
  client: Client,
  whose: Identity,
  signal: AbortSignal,
): Promise<readonly string[]> {
  return (await unneeded(client, whose, signal)).map(({ name }) => name).toSorted()
}

type Unneeded = { readonly kind: Kind; readonly id: string; readonly name: string }

async function unneeded(client: Client, whose: Identity, signal: AbortSignal): Promise<readonly Unneeded[]> {
  const there = await listHeld(client, whose, signal)
  if (there.config.length + there.secret.length === 0) return []
  const services = await servicesBy(client, ownFilter(whose), signal)
  const containers = services
    .flatMap(({ Spec, PreviousSpec }) => [Spec, PreviousSpec])
    .flatMap(spec => spec?.TaskTemplate.ContainerSpec ?? [])
  const used = new Set([
    ...containers.flatMap(({ Configs }) => Configs ?? []).map(({ ConfigID }) => ConfigID),
    ...containers.flatMap(({ Secrets }) => Secrets ?? []).map(({ SecretID }) => SecretID),
  ])
  return kinds.flatMap(kind =>
    there[kind]
      .filter(({ ID }) => !used.has(ID))
      .map(({ ID, Spec: { Name } }) => ({ kind, id: ID, name: Name })),
  )
}

/** Returns the configs and secrets of files of the environment. */
export async function listHeld(client: Client, whose: Identity, signal: AbortSignal): Promise<HeldFiles> {
  const query = { filters: ownFilter(whose) }
  const list = async (kind: Kind) => {
    const held = await askManager<readonly Held[]>(
      client,
      `list of ${kind}s`,
      { method: 'GET', path: `/${kind}s`, query },
      signal,
    )
    return (held ?? []).filter(
      ({ Spec }) => isOurs(Spec.Labels, whose) && labelOf(Spec.Labels, label.service),
    )
  }
  const [config, secret] = await Promise.all([list('config'), list('secret')])
  return { config, secret }
}
