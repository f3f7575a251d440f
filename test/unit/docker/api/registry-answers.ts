import { STATUS_CODES } from 'node:http'
import { digest } from '../../../support/builders/builders.ts'

/** What engines answer where a registry was asked or pulled from, in their own words, and which cause that is. */
export const registryAnswers = [
  [404, 'page not found', 'engine-unsupported'],
  [404, '404 page not found\n', 'engine-unsupported'],
  [404, 'Not Found', 'engine-unsupported'],
  [404, 'Path /v1.41/distribution/web:2/json is not supported', 'engine-unsupported'],
  [404, 'manifest unknown: manifest unknown', 'image-not-found'],
  [404, 'manifest for web:2 not found: manifest unknown: manifest unknown', 'image-not-found'],
  [404, 'manifest for timeout:503 not found: manifest unknown: manifest unknown', 'image-not-found'],
  [404, 'no matching manifest for linux/arm64/v8 in the manifest list entries', 'image-not-found'],
  [
    404,
    "pull access denied for web, repository does not exist or may require 'docker login': denied: requested access to the resource is denied",
    'registry-denied',
  ],
  [401, 'unauthorized: authentication required', 'registry-denied'],
  [500, 'Get "http://127.0.0.1:5000/v2/": unauthorized: authentication required', 'registry-denied'],
  [
    500,
    'Get "http://127.0.0.1:5000/v2/": dial tcp 127.0.0.1:5000: connect: connection refused',
    'registry-unreachable',
  ],
  [
    500,
    'Get "https://registry.invalid/v2/": dial tcp: lookup registry.invalid on 10.0.0.53:53: no such host',
    'registry-unreachable',
  ],
  [500, 'Get "https://registry.invalid/v2/": Proxy Authentication Required', 'registry-unreachable'],
  [
    500,
    'Get "https://10.0.0.9/v2/": http: server gave HTTP response to HTTPS client',
    'registry-unreachable',
  ],
  [500, 'received unexpected HTTP status: 503 Service Unavailable', 'registry-unreachable'],
  [
    500,
    'toomanyrequests: You have reached your pull rate limit. You may increase the limit by authenticating',
    'registry-rate-limited',
  ],
  [500, 'received unexpected HTTP status: 429 Too Many Requests', 'registry-rate-limited'],
  [500, 'write /var/lib/docker/tmp/GetImageBlob: no space left on device', 'disk-full'],
  [500, 'failed to register layer: something else', 'pull-failed'],
  [403, '', 'registry-denied'],
  [500, 'unavailable: fails', 'registry-unreachable'],
  // As engines with containerd's image store say it, which name the image every time.
  [
    404,
    'failed to resolve reference "shop.example/timeout/web:1": shop.example/timeout/web:1: not found',
    'image-not-found',
  ],
  [
    404,
    `failed to resolve reference "shop.example/tls:eof@${digest('1')}": shop.example/tls:eof@${digest('1')}: not found`,
    'image-not-found',
  ],
  [
    404,
    'no matching manifest for linux/amd64 in the manifest list entries: no match for platform in manifest: not found',
    'image-not-found',
  ],
  [
    500,
    'unknown: failed to resolve reference "shop.example/timeout:1": unexpected status from HEAD request to https://shop.example/v2/timeout/manifests/1: 401 Unauthorized',
    'registry-denied',
  ],
  [
    500,
    'unknown: failed to resolve reference "shop.example/eof:1": unexpected status from HEAD request to https://shop.example/v2/eof/manifests/1: 403 Forbidden',
    'registry-denied',
  ],
  [
    500,
    'unknown: failed to resolve reference "shop.example/web:1": unexpected status from HEAD request to https://shop.example/v2/web/manifests/1: 429 Too Many Requests',
    'registry-rate-limited',
  ],
  [
    500,
    'unknown: failed to resolve reference "shop.example/web:1": unexpected status from HEAD request to https://shop.example/v2/web/manifests/1: 504 Gateway Timeout',
    'registry-unreachable',
  ],
  [
    500,
    'failed to resolve reference "shop.example/denied:1": failed to do request: Head "https://shop.example/v2/denied/manifests/1": EOF',
    'registry-unreachable',
  ],
] as const

/** Words of a registry that mean something else where an engine says them of itself. */
export const borrowed: readonly string[] = [
  'errors: denied: no space left on device',
  'no space left on device',
  'disk quota exceeded',
  'not found',
  'page not found',
  'transport is closing',
  'denied: server is shutting down',
  'unknown: unavailable',
  'No such container: shop',
  'port is already allocated',
  '',
]

/**
 * What engines answer where a proxy refuses the way to a registry (CONNECT): an error of their transport, of which they
 * say no more than the proxy's own words for its status.
 */
export const proxyRefusals: readonly string[] = [
  ...Object.entries(STATUS_CODES).flatMap(([status, words]) => (Number(status) < 400 ? [] : [String(words)])),
  'Forbidden by policy (denied)',
].flatMap(words => [
  `Get "https://registry.example.com/v2/": ${words}`,
  `Get https://registry.example.com/v2/: ${words}`,
  `failed to resolve reference "registry.example.com/web:1": failed to do request: Head "https://registry.example.com/v2/web/manifests/1": ${words}`,
])
