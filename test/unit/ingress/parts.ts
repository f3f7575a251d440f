import type { Application } from '../../../lib/state/application/application.ts'
import type { IngressSettings } from '../../../lib/state/application/ingress/ingress-settings.ts'
import { gateAlias, gateOf, type Route, type Statics } from '../../../lib/state/application/ingress/route.ts'
import { Secret } from '../../../lib/state/secret/secret.ts'
import { application, service } from '../../support/builders/builders.ts'

/** A route to `web` of `shop`, for one host over plain HTTP. */
export function route(parts: Partial<Route> = {}): Route {
  return {
    application: 'shop',
    service: 'web',
    host: 'shop.example.com',
    path: '/',
    alias: 'web',
    port: 8000,
    tls: 'off',
    holdMs: 5_000,
    ...parts,
  }
}

/** What an operator has who says nothing. */
export function settings(parts: Partial<IngressSettings> = {}): IngressSettings {
  return {
    image: {
      reference: 'docker.io/library/caddy:2',
      configuredIn: 'ingress',
      pin: { state: 'unknown', reason: 'not resolved yet' },
    },
    pool: '10.201.0.0/16',
    http: { port: 80, addresses: [] },
    https: { port: 443, addresses: [] },
    acme: {},
    certificates: [],
    trustedProxies: [],
    accessLog: false,
    compose: text => new Secret(text, `mark of ${text.length}`),
    ...parts,
  }
}

/** An application of one service, which has these routes. */
export function reached(name: string, ...routes: readonly Partial<Route>[]): Application {
  const gate = gateOf('prod', name, name, '10.201.0.0/16')
  return application(name, [
    {
      ...service({ name }),
      traffic: {
        role: 'backend',
        gate,
        routes: routes.map(parts => route({ application: name, service: name, alias: gate.alias, ...parts })),
      },
    },
  ])
}

/** The static files of an application. */
export function statics(name: string): Statics {
  const volume = { name: `prod.${name}.static`, application: name }
  return {
    alias: gateAlias(name, 'static files'),
    port: 8080,
    mount: { kind: 'volume', volume: volume.name, path: '/static', exclusive: false },
    volumes: [volume],
  }
}
