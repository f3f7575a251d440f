import type { Client } from '../../../lib/docker/api/client.ts'
import { jointLooks } from '../../../lib/swarm/observe/joint-looks.ts'
import { nothingKnown } from '../../../lib/swarm/observe/observe.ts'
import type { Manager } from '../../../lib/swarm/steps/apply-service.ts'

/** A manager of which nothing is known yet. */
export function managerOf(client: Client): Manager {
  return { client, known: nothingKnown(async () => Buffer.alloc(32, 1)), looks: jointLooks(client) }
}
