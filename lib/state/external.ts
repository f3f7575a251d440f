import type { Instance } from './application.ts'
import { fingerprintOf } from './fingerprint.ts'
import { ingressName } from './route.ts'

/**
 * A Caddy of the operator's as an instance of the ingress. It is looked for, attached to gates and given routes, and
 * never made, changed or removed. What it is made of is the operator's business: each is as good as another.
 */
export function externalInstance(): Instance {
  return {
    containers: [
      {
        name: ingressName,
        image: { reference: "the operator's", pin: { state: 'pinned', digest: '' } },
        restart: { name: 'no' },
        stopGraceMs: 0,
      },
    ],
    network: { name: 'host', mode: 'host' },
    volumes: [],
  }
}

/** What all of them bear, so that one that is found is the one that is wanted. */
export function externalFingerprint(environment: string): string {
  return fingerprintOf({ environment, application: ingressName, service: ingressName }, externalInstance())
}
