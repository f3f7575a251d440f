import { expect } from 'chai'
import { pullFailure, questionFailure, refused } from '../../../../lib/docker/api/refusal.ts'
import { proxyRefusals, registryAnswers } from './registry-answers.ts'

describe('refused', () => {
  for (const [status, message, code] of [
    [500, 'transport is closing: unavailable', 'engine-unreachable'],
    [
      500,
      'failed to set up container networking: driver failed programming external connectivity on endpoint web (b1): failed to bind host port for 127.0.0.1:8080:10.224.0.2:80/tcp: address already in use',
      'port-taken',
    ],
    [
      400,
      'failed to create task for container: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: exec: "/no/such": stat /no/such: no such file or directory',
      'start-refused',
    ],
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
    [
      400,
      'create prod-data: error looking up volume plugin nosuch: plugin "nosuch" not found',
      'driver-missing',
    ],
    [400, 'error looking up logging plugin nosuch: plugin "nosuch" not found', 'driver-missing'],
    [400, "logger: no log driver named 'nosuch' is registered", 'driver-missing'],
    [
      400,
      'invalid mount config for type "bind": bind source path does not exist: /srv/it is: unavailable',
      'mount-refused',
    ],
    [404, 'No such image: web@sha256:00', 'image-not-found'],
    [404, 'No such container: prod.web.1', 'container-missing'],
    [500, 'write /var/lib/docker/tmp/x: no space left on device', 'disk-full'],
    [
      400,
      'could not find an available, non-overlapping IPv4 address pool among the defaults to assign to the network',
      'address-pool-empty',
    ],
    [404, 'page not found', 'engine-unsupported'],
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

describe('why an image cannot be pulled', () => {
  for (const [status, message, code] of registryAnswers)
    it(`E26 is ${code} after ${status} "${message.slice(0, 60)}"`, () => {
      expect(pullFailure('local', 'web:2', { status, message })).to.include({ code, resource: 'web:2' })
    })
})

describe('why a registry does not say what a tag means', () => {
  for (const [status, message, code] of registryAnswers) {
    const own = code === 'disk-full' || code === 'pull-failed' ? 'registry-unreachable' : code
    it(`E26 is ${own} after ${status} "${message.slice(0, 60)}"`, () => {
      expect(questionFailure('local', 'web:2', { status, message })).to.include({
        code: own,
        resource: 'web:2',
      })
    })
  }
})

describe('what a proxy says where it refuses the way to a registry', () => {
  it('G17 is no word of the registry', () => {
    for (const message of proxyRefusals)
      for (const failure of [questionFailure, pullFailure])
        expect(failure('local', 'web:2', { status: 500, message }).code, message).to.equal(
          'registry-unreachable',
        )
  })

  for (const [message, code] of [
    ['Get "https://shop.example/v2/": no basic auth credentials', 'registry-denied'],
    ['Get "https://shop.example/v2/": denied: Forbidden', 'registry-denied'],
    ['Head "https://shop.example/v2/": unauthorized: Unauthorized', 'registry-denied'],
    ['Get "https://shop.example/v2/": toomanyrequests: Too Many Requests', 'registry-rate-limited'],
  ] as const)
    it(`G17 is told apart from ${message}`, () => {
      expect(questionFailure('local', 'web:2', { status: 500, message }).code).to.equal(code)
    })
})
