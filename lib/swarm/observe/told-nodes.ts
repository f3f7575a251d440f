import type { Client } from '../../docker/api/client.ts'
import { optional } from '../../object.ts'
import { platformName } from '../../state/image/platform.ts'
import type { SwarmNode } from '../../state/running/swarm-node.ts'

/** The part of `GET /nodes` that is used. */
type Node = {
  readonly ID: string
  readonly Spec?: {
    readonly Labels?: Readonly<Record<string, string>> | null
    readonly Availability?: string
  }
  readonly Description?: {
    readonly Platform?: { readonly OS?: string; readonly Architecture?: string }
    readonly Engine?: {
      readonly Plugins?: readonly { readonly Type: string; readonly Name: string }[] | null
    }
  }
}

/**
 * Returns the nodes of a Swarm with what a task may ask of them. Undefined where we may not ask: what would be said of
 * them is not worth a site.
 */
export async function toldNodes(
  client: Client,
  signal: AbortSignal,
): Promise<readonly SwarmNode[] | undefined> {
  const answer = await client.call<readonly Node[]>({ method: 'GET', path: '/nodes' }, signal)
  return answer.ok ? answer.body.map(toNode) : undefined
}

function toNode({ ID: id, Spec = {}, Description: { Platform = {}, Engine = {} } = {} }: Node): SwarmNode {
  const volumes = Engine.Plugins?.filter(({ Type }) => Type === 'Volume').map(({ Name }) => Name) ?? []
  return {
    id,
    labels: new Map(Object.entries(Spec.Labels ?? {})),
    isDrained: Spec.Availability === 'drain',
    ...optional('platform', platformName(Platform.OS, Platform.Architecture)),
    // Every engine has one of its own: a node without any does not tell them.
    ...(volumes.length === 0 ? {} : { drivers: volumes }),
  }
}
