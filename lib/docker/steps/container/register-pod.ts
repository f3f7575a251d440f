import type { Provenance } from '../../../plan/step/container-place.ts'
import type { StepOf } from '../../../plan/step/step.ts'
import type { Client } from '../../api/client.ts'
import { inspectContainer } from '../../container/inspect/inspect.ts'
import { podIdentityIn } from '../../metadata/pod-identity.ts'
import { writePod } from '../../metadata/register.ts'

/**
 * Tells the metadata service of a pod that runs, by the token and the UUID that its sandbox has. A pod that is gone
 * meanwhile is left to the next pass.
 */
export async function registerAgain(
  client: Client,
  { container: sandbox, ...told }: StepOf<'register-pod'>,
  provenance: Provenance,
  signal: AbortSignal,
): Promise<void> {
  const there = await inspectContainer(client, sandbox, signal)
  const identity = there && podIdentityIn(there)
  if (there?.Image === undefined || identity === undefined) return
  await writePod(client, { ...told, sandbox, image: there.Image }, identity, provenance, signal)
}
