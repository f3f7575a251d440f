import type { Engine } from '../engine.ts'
import { type Client, openClient } from './client.ts'
import type { SiteEndpoint } from './endpoint.ts'
import { watch } from './events.ts'
import { execute } from './execute.ts'
import { distribution, localImage, untaggedImages } from './images.ts'
import { info } from './info.ts'
import { ingressReport, setDraining } from './ingress-report.ts'
import { observe } from './observe.ts'
import { resources } from './resources.ts'

/**
 * A Docker Engine as a site. Nothing is asked before the first call. `login` gives the credentials of a registry's
 * host and is called for each use (G21).
 * @param hasExternalIngress the ingress on it is a container of the operator's, which bears the label for that
 */
export function connect(
  site: SiteEndpoint,
  login: Client['login'],
  { hasExternalIngress = false } = {},
): Engine {
  const client = openClient(site, login, hasExternalIngress)
  return {
    site: site.name,
    info: signal => info(client, signal),
    observe: (scope, signal) => observe(client, scope, signal),
    resources: (scope, signal) => resources(client, scope, signal),
    images: signal => untaggedImages(client, signal),
    execute: (step, provenance, signal, note) => execute(client, step, provenance, signal, note),
    watch: (scope, onEvent, signal) => watch(client, scope, onEvent, signal),
    localImage: (reference, signal) => localImage(client, reference, signal),
    distribution: (reference, signal) => distribution(client, reference, signal),
    ingress: (scope, signal) => ingressReport(client, scope, signal),
    setDraining: (scope, isDraining, signal) => setDraining(client, scope, isDraining, signal),
  }
}
