import { Failure } from '../../errors.ts'
import type { Provenance, Step } from '../../plan/step.ts'
import { label } from '../../state/labels.ts'
import type { Client } from '../client.ts'
import { containerConfig } from '../container-config.ts'
import { type Inspected, inspectContainer, isUp } from '../inspect.ts'
import { isOurs } from '../ownership.ts'
import { refused } from '../refusal.ts'
import { writeFiles } from '../write-files.ts'
import { nameTaken } from './name-taken.ts'
import { connectNetwork } from './networks.ts'
import { awaitGone } from './remove-container.ts'

type CreateContainer = Extract<Step, { do: 'create-container' }>

/**
 * Creates a container, unless it is there already, writes its files as long as it does not run, and attaches it to its
 * further networks: whatever an earlier attempt left undone is made up for. Fails with `name-taken` when another one
 * bears its name, and with `files-refused`.
 */
export async function createContainer(
  client: Client,
  step: CreateContainer,
  provenance: Provenance,
  signal: AbortSignal,
): Promise<void> {
  const { container, spec, placement } = step
  const { pin } = spec.image
  if (pin.state === 'unknown')
    throw new Failure('registry-unreachable', `${client.site}: ${container}: ${pin.reason}`)
  const there = await createOrFind(client, step, provenance, signal)
  if (there === undefined || !isUp(there)) await writeFiles(client, container, spec, signal)
  for (const { name } of placement.attachments)
    await connectNetwork(client, { container, network: name, aliases: [] }, signal)
}

/** The container that an earlier attempt made; undefined: it was made now. */
async function createOrFind(
  client: Client,
  step: CreateContainer,
  provenance: Provenance,
  signal: AbortSignal,
): Promise<Inspected | undefined> {
  const { container, spec, placement } = step
  const create = () =>
    client.call(
      {
        method: 'POST',
        path: '/containers/create',
        query: { name: container },
        body: containerConfig(spec, placement, provenance),
        limitMs: 120_000,
      },
      signal,
    )
  const answer = await create()
  if (answer.ok) return undefined
  if (answer.status !== 409) throw refused(client.site, container, answer)
  const there = await inspectContainer(client, container, signal)
  if (there !== undefined && there.State.Status !== 'removing') {
    claim(client, step, provenance, there)
    return there
  }
  await awaitGone(client, container, signal)
  const again = await create()
  if (!again.ok) throw refused(client.site, container, again)
  return undefined
}

/** An earlier attempt made it, or it is somebody else's. */
function claim(client: Client, step: CreateContainer, provenance: Provenance, there: Inspected): void {
  const { Labels } = there.Config
  const same =
    isOurs(Labels, provenance) &&
    Labels?.[label.fingerprint] === step.placement.fingerprint &&
    Labels[label.container] === step.spec.name
  if (same) return
  throw nameTaken(client.site, `container ${step.container}`)
}
