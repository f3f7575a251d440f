import type { Client } from '../../../lib/docker/api/client.ts'
import type { OwnName } from '../../../lib/state/identity.ts'
import { label } from '../../../lib/state/labels.ts'
import { jointLooks } from '../../../lib/swarm/observe/joint-looks.ts'
import { nothingKnown } from '../../../lib/swarm/observe/observe.ts'
import type { Manager } from '../../../lib/swarm/steps/apply-service.ts'

/** A manager of which nothing is known yet. */
export function managerOf(client: Client): Manager {
  return { client, known: nothingKnown(async () => Buffer.alloc(32, 1)), looks: jointLooks(client) }
}

/** The labels of a service of an environment that Tallyman made, whose application has the same name. */
export function labelsOf({ environment, source }: OwnName, service = 'web', fingerprint = 'v1:f') {
  return {
    ...{ [label.environment]: environment, [label.source]: source },
    ...{ [label.application]: service, [label.service]: service, [label.container]: 'app' },
    [label.fingerprint]: fingerprint,
  }
}
