import type { Service } from '../state/application/application.ts'
import type { Mount } from '../state/application/container/container.ts'
import type { IngressSettings } from '../state/application/ingress/ingress-settings.ts'
import { ingressName, type Statics } from '../state/application/ingress/route.ts'
import { backendOf } from '../state/application/ingress/traffic.ts'
import type { RoutedApplication } from './as-loaded.ts'
import { type CaddyRoute, notFound, says } from './configuration/dialect.ts'

/**
 * Returns the service for the static files that requests to a service may ask for; undefined if there are none.
 *
 * It is a container of its own that has these files and nothing else, so that no link among them reaches the keys of
 * the ingress. In addition, the server is locked into a directory that contains only a copy of it and the files. A link
 * out of them leads nowhere, and a link to `/static/…` leads to the same file as in the application.
 *
 * Files are served whatever their permissions are, because the contract promises none (P30). The server is root and may
 * ignore permissions, but can write only to its own copy.
 */
export function staticsService(
  environment: string,
  service: RoutedApplication['services'][number],
  { image }: IngressSettings,
): Service | undefined {
  const backend = backendOf(service)
  const route = backend?.routes.find(({ statics }) => statics !== undefined)
  if (backend === undefined || route?.statics === undefined) return undefined
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
    traffic: { role: 'backend', gate: { network: backend.gate.network, alias }, routes: [] },
  }
}

const cell = '/cell'

/**
 * Copies the server into the directory and starts it there with its settings. Copies its libraries as well if it needs
 * any, which the usual image's does not.
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

/**
 * The file of a name never changes (P31), so browsers keep it for a year. An answer about a missing file is not kept.
 */
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
