import type { Scope } from '../../engine.ts'
import { commands } from '../../ingress/container/commands.ts'
import { loadedMarkIn } from '../../ingress/container/replies.ts'
import { externalFingerprint } from '../../state/application/ingress/external.ts'
import { ingressName } from '../../state/application/ingress/route.ts'
import type { LiveContainer } from '../../state/running/live.ts'
import type { Client } from '../api/client.ts'
import { exec } from '../container/output/exec.ts'
import { factsOf } from '../observe/live-container.ts'
import { hasAnswered, listExternal } from './ingress-container.ts'

/**
 * Returns the Caddy that the operator provides as the ingress of the environment, the newest that runs; undefined if
 * none does. Asks it what it has loaded, because it may have been restarted without that.
 */
export async function observeExternal(
  client: Client,
  scope: Scope,
  signal: AbortSignal,
): Promise<LiveContainer | undefined> {
  const [listed] = (await listExternal(client, scope, signal)).filter(({ State }) => State === 'running')
  if (listed === undefined) return undefined
  const loaded = await markIn(client, listed.Id, signal)
  return {
    ...factsOf(listed),
    state: 'running',
    ...(loaded === undefined ? {} : { loaded }),
    isExternal: true,
    application: ingressName,
    service: ingressName,
    instance: 1,
    container: ingressName,
    role: 'app',
    fingerprint: externalFingerprint(scope.environment),
    image: listed.Image,
    digest: '',
    commit: '',
  }
}

/** Undefined also if it does not answer. Whether it accepts routes shows when it gets some. */
async function markIn(client: Client, id: string, signal: AbortSignal): Promise<string | undefined> {
  const ran = await exec(client, id, commands.loaded, signal)
  if (!ran.ok || !hasAnswered(ran.body)) return undefined
  return loadedMarkIn(ran.body.output)
}
