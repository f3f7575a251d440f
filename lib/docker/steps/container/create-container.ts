import { Failure } from '../../../errors.ts'
import { optional } from '../../../object.ts'
import type { Provenance } from '../../../plan/step/container-place.ts'
import type { StepOf } from '../../../plan/step/step.ts'
import type { Container } from '../../../state/application/container/container.ts'
import { metadataName } from '../../../state/application/metadata.ts'
import { isOurs } from '../../../state/identity.ts'
import { label, labelOf } from '../../../state/labels.ts'
import { type Client, patientMs } from '../../api/client.ts'
import { refused } from '../../api/refusal.ts'
import { containerConfig, platformQuery } from '../../container/config/container-config.ts'
import { inherited } from '../../container/config/inherited.ts'
import { ephemeralVolume } from '../../container/config/mounts-config.ts'
import { accountOf } from '../../container/files/image-account.ts'
import { writeFiles } from '../../container/files/write-files.ts'
import { type Inspected, inspectContainer, isContainerUp } from '../../container/inspect/inspect.ts'
import { lendShell } from '../../container/shell/lend-shell.ts'
import { identityFor, podIdentityIn, withIdentity } from '../../metadata/pod-identity.ts'
import { ensureKey, registerPod } from '../../metadata/register.ts'
import { nameTaken } from '../../name-taken.ts'
import { connectNetwork } from '../network/networks.ts'
import { clearEphemeralVolumes } from '../volume/remove-ephemeral-volumes.ts'
import { awaitGone } from './remove-container.ts'

type Created = { readonly Warnings?: readonly string[] | null }

type CreateContainer = StepOf<'create-container'>

/**
 * Creates a container unless it exists, writes its files as long as it does not run, and attaches it to its further
 * networks: this completes whatever an earlier attempt left undone. Fails with `name-taken` if another container has
 * its name, with `image-lacking` if its user is the owner of a path that is not there, and with `files-refused`. `note`
 * receives what the engine is too old for, and its warnings.
 */
export async function createContainer(
  client: Client,
  step: CreateContainer,
  provenance: Provenance,
  signal: AbortSignal,
  note: (words: string) => void = () => {},
): Promise<void> {
  const { container, spec, placement } = step
  const { pin } = spec.image
  const given = await identityFor(client, step, signal)
  if (pin.state === 'unknown')
    throw new Failure('registry-unreachable', `${client.site}: ${container}: ${pin.reason}`)
  const there = await createOrFind(client, withIdentity(step, given), provenance, signal, note)
  if (there === undefined) noteUnknown(client, spec, note)
  if (there === undefined || !isContainerUp(there)) {
    await writeFiles(client, container, spec, signal)
    if (spec.handlers !== undefined && placement.joins !== undefined)
      await lendShell(client, { sandbox: placement.joins.sandbox, container }, signal)
    if (given !== undefined && spec.metadata !== undefined)
      await registerPod(client, step, (there && podIdentityIn(there)) ?? given, provenance, signal)
    if (placement.application === metadataName) await ensureKey(client, step, provenance, signal)
  }
  for (const { name } of placement.attachments)
    await connectNetwork(client, { container, network: name, aliases: [] }, signal)
  for (const { name } of placement.reached ?? [])
    await connectNetwork(
      client,
      { container, network: name, aliases: placement.aliases, ifThere: true },
      signal,
    )
}

/** An engine ignores what it does not know. */
function noteUnknown(client: Client, { healthcheck }: Container, note: (words: string) => void): void {
  const version = client.engineVersion()
  if (healthcheck?.kind !== 'command' || healthcheck.startIntervalMs === undefined) return
  if (version === undefined || Number.parseInt(version, 10) >= startIntervalSince) return
  note(
    `start_interval has no effect: this is Docker Engine ${version}, and ${startIntervalSince}.0 is the first that knows it`,
  )
}

const startIntervalSince = 25

/** Returns the container that an earlier attempt created; undefined if it was created now. */
async function createOrFind(
  client: Client,
  step: CreateContainer,
  provenance: Provenance,
  signal: AbortSignal,
  note: (words: string) => void,
): Promise<Inspected | undefined> {
  const { container, spec, placement } = step
  if (placement.role === 'sandbox')
    await clearEphemeralVolumes(client, sharedVolumes(step), provenance, signal)
  const given = await inherited(client, container, spec.image, signal)
  const user =
    spec.user &&
    (await accountOf(
      client,
      { image: spec.image, user: spec.user, of: ofContainer(step) },
      provenance,
      signal,
    ))
  const create = () =>
    client.call<Created>(
      {
        method: 'POST',
        path: '/containers/create',
        query: { name: container, ...platformQuery(spec.image) },
        body: containerConfig({ ...spec, ...optional('user', user) }, placement, provenance, given),
        limitMs: patientMs,
      },
      signal,
    )
  const answer = await create()
  if (answer.ok) return noteWarnings(answer.body, note)
  if (answer.status !== 409) throw refused(client.site, container, answer)
  const there = await inspectContainer(client, container, signal)
  if (there !== undefined && there.State.Status !== 'removing') {
    claim(client, step, provenance, there)
    return there
  }
  await awaitGone(client, container, signal)
  const again = await create()
  if (!again.ok) throw refused(client.site, container, again)
  return noteWarnings(again.body, note)
}

function ofContainer({ placement: { application, service }, spec: { name } }: CreateContainer): string {
  return `${application}/${service}/${name}`
}

function sharedVolumes({ spec: { mounts = [] }, placement }: CreateContainer): readonly string[] {
  return mounts.flatMap(mount =>
    mount.kind === 'ephemeral' && mount.name !== undefined
      ? [ephemeralVolume(placement.instanceName, mount.name)]
      : [],
  )
}

/** Notes what the engine cannot do as asked, because something is missing on its machine. */
function noteWarnings({ Warnings }: Created, note: (words: string) => void): undefined {
  for (const warning of new Set(Warnings)) note(`the engine warns: ${warning}`)
}

/** Checks that an earlier attempt created it. Otherwise it belongs to somebody else. */
function claim(client: Client, step: CreateContainer, provenance: Provenance, there: Inspected): void {
  const { Labels } = there.Config
  const same =
    isOurs(Labels, provenance) &&
    labelOf(Labels, label.fingerprint) === step.placement.fingerprint &&
    labelOf(Labels, label.instance) === String(step.placement.instance) &&
    labelOf(Labels, label.role) === step.placement.role &&
    labelOf(Labels, label.container) === step.spec.name
  if (same) return
  const container = `container ${step.container}`
  if (!isOurs(Labels, provenance)) throw nameTaken(client.site, container, Labels)
  // A wrong name is corrected before any other step, so somebody renamed it only just now.
  const holder = `${labelOf(Labels, label.service)}.${labelOf(Labels, label.instance)}`
  const message = `${client.site}: ${container}: ${holder} bears that name, as somebody renamed it`
  throw new Failure('name-taken', message, { resource: container })
}
