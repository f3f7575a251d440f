import type { Instance, Service } from '../application.ts'
import { fingerprintOf } from '../fingerprint.ts'
import { ingressName } from './route.ts'
import { routingOf } from './traffic.ts'

/**
 * Returns a Caddy of the operator as an instance of the ingress. It is looked for, attached to gates and given routes,
 * and never created, changed or removed. The operator decides what it is created from, so any such container matches.
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

/** Whether the containers of a service are the operator's. */
export function isOfOperator(service: Pick<Service, 'traffic'>): boolean {
  return routingOf(service)?.runBy === 'operator'
}

/** Returns the fingerprint that all of them have, so that one that is found counts as the desired one. */
export function externalFingerprint(environment: string): string {
  return fingerprintOf({ environment, application: ingressName, service: ingressName }, externalInstance())
}
