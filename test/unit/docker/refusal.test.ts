import { expect } from 'chai'
import { refused, registryFailure } from '../../../lib/docker/refusal.ts'

describe('refused', () => {
  for (const [status, message, code] of [
    [
      500,
      'driver failed programming external connectivity on endpoint web (b1): Bind for 0.0.0.0:8080 failed: port is already allocated',
      'port-taken',
    ],
    [
      500,
      'Error starting userland proxy: listen tcp4 0.0.0.0:8080: bind: address already in use',
      'port-taken',
    ],
    [
      400,
      'invalid mount config for type "bind": bind source path does not exist: /srv/data',
      'mount-refused',
    ],
    [
      400,
      'failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: exec: "nope": executable file not found in $PATH: unknown',
      'start-refused',
    ],
    [500, 'unable to find user nobody2: no matching entries in passwd file', 'start-refused'],
    [404, 'No such image: web@sha256:00', 'image-not-found'],
    [404, 'No such container: prod.web.1', 'container-missing'],
    [500, 'write /var/lib/docker/tmp/x: no space left on device', 'disk-full'],
    [
      400,
      'could not find an available, non-overlapping IPv4 address pool among the defaults to assign to the network',
      'address-pool-empty',
    ],
    [500, 'something else', 'engine-refused'],
  ] as const) {
    it(`says ${code} to "${message.slice(0, 60)}"`, () => {
      expect(refused('local', 'prod.web.1', { status, message })).to.include({
        code,
        message: `local: prod.web.1: ${message}`,
        resource: 'prod.web.1',
      })
    })
  }
})

describe('registryFailure', () => {
  for (const [status, message, code] of [
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
  ] as const) {
    it(`E26 says ${code} to ${status} "${message.slice(0, 60)}"`, () => {
      expect(registryFailure('local', 'web:2', { status, message }, 'pull-failed').code).to.equal(code)
    })
  }
})
