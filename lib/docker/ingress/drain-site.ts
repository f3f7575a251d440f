import type { Scope } from '../../engine.ts'
import { Failure } from '../../errors.ts'
import { commands } from '../../ingress/container/commands.ts'
import { label } from '../../state/labels.ts'
import type { Client } from '../api/client.ts'
import { outputIn, runningIngress } from './ingress-container.ts'

/**
 * Makes the site report to load balancers that it is drained, or takes requests again. Fails with `ingress-unreachable`
 * if none runs.
 */
export async function setDraining(
  client: Client,
  scope: Scope,
  isDraining: boolean,
  signal: AbortSignal,
): Promise<void> {
  const ingress = await runningIngress(client, scope, signal)
  if (ingress === undefined)
    throw new Failure('ingress-unreachable', `${client.site}: ${whatIsMissing(client, scope)} runs`)
  await outputIn(client, ingress, isDraining ? commands.drain : commands.undrain, signal)
}

/** Names what the operator has to run, if that is for the operator. */
function whatIsMissing({ hasExternalIngress }: Client, { environment }: Scope): string {
  return hasExternalIngress
    ? `no container with the label ${label.ingress}=${environment}`
    : `no ingress of ${environment}`
}
