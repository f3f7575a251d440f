import type { Service } from '../state/application.ts'
import type { Mount } from '../state/container.ts'
import { ingressName, type Statics } from '../state/route.ts'
import type { Routed } from './as-loaded.ts'
import { type CaddyRoute, notFound, says } from './caddy.ts'
import type { IngressSettings } from './settings.ts'

/**
 * Who serves the static files that requests to a service may ask for; undefined where there are none.
 *
 * A container of its own that has these files and nothing else, so that no link among them reaches the keys of the
 * ingress. It goes further: the server is locked into a directory in which there is nothing but a copy of it and the
 * files. A link out of them leads nowhere, and one to `/static/…` leads where it does for the application.
 *
 * Whatever rights an application gave its files they are served, as the contract promises none (P30): the server is
 * root with the right to pass over permissions, where it can write to nothing but its own copy.
 */
export function staticsService(
  environment: string,
  { routes = [], gate }: Routed['services'][number],
  { image }: IngressSettings,
): Service | undefined {
  const route = routes.find(({ statics }) => statics !== undefined)
  if (route?.statics === undefined || gate === undefined) return undefined
  const { alias, port, mount, volumes } = route.statics
  return {
    name: `static-${route.application}`,
    instances: [
      {
        containers: [
          {
            name: 'static',
            image,
            entrypoint: ['sh', '-c'],
            command: [lockedIn(configurationFor(port))],
            restart: { name: 'unless-stopped' },
            stopGraceMs: 10_000,
            readOnly: true,
            capDrop: ['ALL'],
            capAdd: ['DAC_OVERRIDE', 'SYS_CHROOT'],
            securityOpt: ['no-new-privileges:true'],
            mounts: [{ kind: 'ephemeral', path: cell }, inCell(mount)],
            healthcheck: { kind: 'none' },
          },
        ],
        network: { name: `${environment}.${ingressName}.static`, application: ingressName, mode: 'internal' },
        volumes,
      },
    ],
    strategy: { type: 'auto', maxSurge: '25%', maxUnavailable: '25%', healthyMs: 2_000, timeoutMs: 120_000 },
    gate: { network: gate.network, alias },
  }
}

const cell = '/cell'

/**
 * Copies the server into the cell, and starts it there with what it has to know. It needs its libraries where it has
 * any, which the usual image's has not.
 */
function lockedIn(configuration: Readonly<Record<string, unknown>>): string {
  return `set -e
cp "$(command -v caddy)" ${cell}/caddy
if [ -e /etc/mime.types ]; then mkdir -p ${cell}/etc; cp /etc/mime.types ${cell}/etc/; fi
if ! chroot ${cell} /caddy version >/dev/null 2>&1; then
  mkdir -p ${cell}/usr
  for place in /lib* /usr/lib*; do
    if [ -d "$place" ]; then cp -R "$place" "${cell}\${place%/*}/"; fi
  done
fi
exec chroot ${cell} /caddy run --config - <<'END'
${JSON.stringify(configuration)}
END
`
}

function inCell(mount: Mount): Mount {
  const path = `${cell}/static`
  return mount.kind === 'volume' || mount.kind === 'host'
    ? { ...mount, path, readOnly: true }
    : { ...mount, path }
}

/** Files never change under one name (P31): browsers keep them for a year. What is not there is not kept. */
function configurationFor(port: Statics['port']): Readonly<Record<string, unknown>> {
  const files = ['/static/*']
  const routes: readonly CaddyRoute[] = [
    {
      match: [{ path: files, not: [{ method: ['GET', 'HEAD'] }] }],
      handle: [{ ...says(405, 'Files are only read.'), headers: { Allow: ['GET, HEAD'] } }],
    },
    {
      match: [{ path: files }],
      handle: [
        {
          handler: 'headers',
          response: {
            set: { 'Cache-Control': ['public, max-age=31536000, immutable'] },
            require: { status_code: [200, 206, 304] },
            deferred: true,
          },
        },
        { handler: 'rewrite', strip_path_prefix: '/static' },
        {
          handler: 'file_server',
          root: '/static',
          index_names: [],
          canonical_uris: false,
          precompressed: { br: {}, zstd: {}, gzip: {} },
          precompressed_order: ['br', 'zstd', 'gzip'],
        },
      ],
    },
    notFound,
  ]
  return {
    admin: { disabled: true, config: { persist: false } },
    apps: {
      http: {
        servers: {
          static: {
            listen: [`:${port}`],
            automatic_https: { disable: true },
            routes,
            errors: { routes: [{ handle: [says('{http.error.status_code}', '{http.error.status_text}')] }] },
          },
        },
      },
    },
  }
}
