import { Failure } from '../../errors.ts'
import type { Provenance, Step } from '../../plan/step.ts'
import { label } from '../../state/labels.ts'
import type { Client } from '../client.ts'
import { containerConfig } from '../container-config.ts'
import { type Inspected, inspectContainer } from '../inspect.ts'
import { isOurs } from '../ownership.ts'
import { refused } from '../refusal.ts'
import { nameTaken } from './name-taken.ts'
import { awaitGone } from './remove-container.ts'

type CreateContainer = Extract<Step, { do: 'create-container' }>

/** Creates a container, unless it is there already. Fails with `name-taken` when another one bears its name. */
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
  if (answer.ok) return
  if (answer.status !== 409) throw refused(client.site, container, answer)
  const there = await inspectContainer(client, container, signal)
  if (there !== undefined && there.State.Status !== 'removing') return claim(client, step, provenance, there)
  await awaitGone(client, container, signal)
  const again = await create()
  if (!again.ok) throw refused(client.site, container, again)
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
