import { askIngresses } from '../reconcile/status/ingress/ask-ingresses.ts'
import type { IngressStatus } from '../reconcile/status/ingress/ingress-status.ts'
import { type IngressesDocument, ingressDocument } from '../reconcile/status/status-document.ts'
import type { Controlled, ControlOptions } from './controlled.ts'
import { nameOfControlled } from './environments.ts'

/** Returns what the ingresses of all environments report, site by site. */
export function ingresses({ running, nowMs }: ControlOptions): Promise<readonly IngressesDocument[]> {
  return Promise.all(
    running.map(async controlled => ({
      environment: nameOfControlled(controlled),
      sites: (await ingressStatuses(controlled)).map(status => ingressDocument(status, nowMs())),
    })),
  )
}

/** Returns the reports of the ingresses of an environment, some seconds old at most; none before the first pass. */
export async function ingressStatuses({ world, loop }: Controlled): Promise<readonly IngressStatus[]> {
  const { last } = loop.state()
  return last === undefined ? [] : askIngresses(world, last)
}
