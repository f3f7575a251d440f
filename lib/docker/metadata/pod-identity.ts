import { randomBytes, randomUUID } from 'node:crypto'
import { metadataUrl } from '../../metadata/place.ts'
import type { StepOf } from '../../plan/step/step.ts'
import { urlVariable } from '../../state/application/container/told-variables.ts'
import { label, labelOf } from '../../state/labels.ts'
import type { Client } from '../api/client.ts'
import { type Inspected, inspectContainer } from '../container/inspect/inspect.ts'

type CreateContainer = StepOf<'create-container'>

/**
 * Who a pod is, and where its apps ask (C53). Both are made with its sandbox, and stand only there and in its apps: as
 * long as the sandbox exists they stay the same, whatever becomes of the daemon.
 */
export type PodIdentity = {
  readonly uuid: string
  /** It ends in a token of 256 random bits. */
  readonly url: string
}

/** Returns what a container is given: a new identity for a sandbox, and that of the sandbox for an app. */
export async function identityFor(
  client: Client,
  { spec, placement: { joins } }: CreateContainer,
  signal: AbortSignal,
): Promise<PodIdentity | undefined> {
  if (spec.metadata !== undefined) return newIdentity()
  if (joins?.isOfPod !== true) return undefined
  const sandbox = await inspectContainer(client, joins.sandbox, signal)
  return sandbox && podIdentityIn(sandbox)
}

function newIdentity(): PodIdentity {
  return { uuid: randomUUID(), url: metadataUrl(randomBytes(32).toString('base64url')) }
}

/** Returns the identity that the sandbox of a pod has; undefined if it has none. */
export function podIdentityIn(sandbox: Inspected): PodIdentity | undefined {
  const uuid = labelOf(sandbox.Config.Labels, label.pod)
  const url = urlIn(sandbox)
  return uuid === undefined || url === undefined ? undefined : { uuid, url }
}

/** Returns where a container of a pod asks; undefined if it is of no pod that can. */
export function urlIn({ Config: { Env } }: Inspected): string | undefined {
  const prefix = `${urlVariable}=`
  const pair = (Env ?? []).find(one => one.startsWith(prefix))
  return pair?.slice(prefix.length)
}

/** Returns the step that gives a container its identity, too. */
export function withIdentity(step: CreateContainer, identity: PodIdentity | undefined): CreateContainer {
  if (identity === undefined) return step
  const { spec } = step
  const labels = spec.metadata === undefined ? {} : { labels: { ...spec.labels, [label.pod]: identity.uuid } }
  return {
    ...step,
    spec: { ...spec, ...labels, env: { ...spec.env, [urlVariable]: identity.url } },
  }
}
