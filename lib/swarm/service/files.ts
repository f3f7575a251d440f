import type { Client } from '../../docker/api/client.ts'
import { ownFilter, ownLabels } from '../../docker/ownership.ts'
import { Failure } from '../../errors.ts'
import type { Placement, Provenance } from '../../plan/step/placement.ts'
import type { Container, File } from '../../state/application/container.ts'
import { hashOf } from '../../state/canonical.ts'
import { type Identity, isOurs } from '../../state/identity.ts'
import { type Labels, label, labelOf } from '../../state/labels.ts'
import { Secret } from '../../state/secret/secret.ts'
import { reveal } from '../../state/secret/text.ts'
import { ask, askFor } from '../api/asked.ts'
import type { ToldService } from '../api/service.ts'
import type { KeptFile } from './container-spec.ts'

/** A config or a secret, as a manager lists it. Of a secret it never tells the content. */
type Held = { readonly ID: string; readonly Spec: { readonly Name: string; readonly Labels: Labels } }

const kinds = ['config', 'secret'] as const
type Kind = (typeof kinds)[number]

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
    return { file, kind, name: `${environment}-${hashOf(file.content).slice(0, 16)}`.slice(-64) }
  })
}

type Wanted = Omit<KeptFile, 'id'> & { readonly file: File }

/**
 * Makes a config or a secret of each file, and returns them by their ids. One that exists is left as it is. Fails with
 * `name-taken`, and with `service-changed` if one is gone right after.
 */
export async function keepFiles(
  client: Client,
  { placement, spec }: { readonly placement: Placement; readonly spec: Container },
  provenance: Provenance,
  signal: AbortSignal,
): Promise<readonly KeptFile[]> {
  if ((spec.files ?? []).length === 0) return []
  const there = await listHeld(client, provenance, signal)
  const named = new Map(filesOf(provenance, spec).map(file => [`${file.kind} ${file.name}`, file]))
  for (const { kind, name, file } of named.values()) {
    if (there[kind].some(one => one.Spec.Name === name)) continue
    const body = {
      Name: name,
      Labels: { ...ownLabels(provenance, placement.application), [label.service]: placement.service },
      Data: Buffer.from(reveal(file.content)).toString('base64'),
    }
    const request = { method: 'POST', path: `/${kind}s/create`, body } as const
    await askFor(client, `${kind} ${name}`, request, signal)
  }
  return keptFiles(client, spec, provenance, signal)
}

async function keptFiles(
  client: Client,
  spec: Container,
  provenance: Provenance,
  signal: AbortSignal,
): Promise<readonly KeptFile[]> {
  const wanted = filesOf(provenance, spec)
  const there = await listHeld(client, provenance, signal)
  return wanted.map(file => {
    const found = there[file.kind].find(one => one.Spec.Name === file.name)
    if (found !== undefined) return { ...file, id: found.ID }
    throw new Failure('service-changed', `${client.site}: ${file.kind} ${file.name}: it is gone`, {
      resource: file.name,
    })
  })
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
  const query = { filters: ownFilter(whose) }
  const services = await askFor<readonly ToldService[]>(
    client,
    'list of services',
    { method: 'GET', path: '/services', query },
    signal,
  )
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

async function listHeld(
  client: Client,
  whose: Identity,
  signal: AbortSignal,
): Promise<Readonly<Record<Kind, readonly Held[]>>> {
  const query = { filters: ownFilter(whose) }
  const list = async (kind: Kind) => {
    const held = await ask<readonly Held[]>(
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
