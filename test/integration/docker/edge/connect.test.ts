import { createServer, type RequestListener } from 'node:http'
import { expect } from 'chai'
import { connect } from '../../../../lib/docker/connect.ts'
import type { Engine } from '../../../../lib/engine.ts'
import { Failure } from '../../../../lib/errors.ts'
import { identityLabels } from '../../../../lib/state/identity.ts'
import { identity } from '../../../support/builders/builders.ts'
import { failureOf } from '../../../support/failures/failure-of.ts'
import { close, listen } from '../../../support/network/listen.ts'
import { runningSocket } from '../../../support/suite/env.ts'

const { signal } = new AbortController()
const scope = identity('nowhere')

const at = (endpoint: string): Engine => connect({ name: 'store-1', endpoint }, async () => undefined)

/** Something that speaks HTTP where an engine should be. */
async function stranger(answer: RequestListener) {
  const paths: string[] = []
  const server = createServer((request, response) => {
    paths.push(request.url ?? '')
    answer(request, response)
  })
  const port = await listen(server)
  return { server, paths, engine: at(`tcp://127.0.0.1:${port}`), [Symbol.asyncDispose]: () => close(server) }
}

describe('connect', () => {
  it('says who the engine is', async () => {
    const info = await at(`unix://${runningSocket()}`).info(signal)
    expect(info.id).not.to.equal('')
    expect(info.version).to.match(/^\d+\./)
    expect(info).to.include({ os: 'linux' })
    expect(info.architecture).to.be.oneOf(['amd64', 'arm64'])
  })

  it('asks nothing before the first call', async () => {
    await using there = await stranger(() => undefined)
    expect(there.paths).to.deep.equal([])
  })

  it('refuses an address that is none', () => {
    expect(() => at('ftp://store-1'))
      .to.throw(Failure)
      .with.property('code', 'config-invalid')
  })

  it('agrees on the API version once, and speaks no newer one than the engine', async () => {
    await using there = await stranger((request, response) => {
      response.setHeader('content-type', 'application/json')
      response.end(request.url === '/version?' ? '{"ApiVersion":"1.44"}' : '[]')
    })
    await there.engine.observe(scope, signal)
    await there.engine.observe(scope, signal)
    expect(there.paths.map(path => path.split('?')[0])).to.deep.equal([
      '/version',
      '/v1.44/containers/json',
      '/v1.44/containers/json',
    ])
  })

  for (const [what, isEnding, code] of [
    [
      'that is ended right after for an engine that goes down, and for no verdict',
      true,
      'engine-unreachable',
    ],
    ['that goes on for a refusal', false, 'engine-refused'],
  ] as const)
    it(`G17 takes a refusal of an engine ${what}`, async () => {
      await using there = await stranger((request, response) => {
        if (request.url === '/version?') return void response.end('{"ApiVersion":"1.44"}')
        if (isEnding) there.server.close()
        response
          .writeHead(500)
          .end('{"message":"failed to update store for object type *libnetwork.endpoint"}')
      })
      const volume = { name: 'data', application: 'shop' }
      const provenance = { ...scope, commit: '' }
      const failure = await failureOf(
        there.engine.execute({ do: 'create-volume', volume }, provenance, signal),
      )
      expect(failure.code).to.equal(code)
    })

  it('says engine-unreachable where nothing listens, and names the site', async () => {
    const failure = await failureOf(at('unix:///nonexistent/docker.sock').observe(scope, signal))
    expect(failure).to.include({
      code: 'engine-unreachable',
      retry: 'backoff',
      message: 'store-1: connect ENOENT /nonexistent/docker.sock',
    })
  })

  it('says engine-unreachable where something else listens', async () => {
    await using there = await stranger((_, response) => response.end('<html>'))
    expect(await failureOf(there.engine.observe(scope, signal))).to.include({
      code: 'engine-unreachable',
      message: 'store-1: the server there does not answer like a Docker Engine',
    })
  })

  for (const said of ['<html>', '"Login"', '7'])
    it(`G13 G17 says the same where ${said} is answered in place of an engine that was there, to a look and to a step`, async () => {
      await using there = await stranger((request, response) => {
        response.end(request.url === '/version?' ? '{"ApiVersion":"1.44"}' : said)
      })
      const volume = { name: 'data', application: 'shop' }
      const step = { do: 'create-volume', volume } as const
      for (const asked of [
        there.engine.observe(scope, signal),
        there.engine.execute(step, { ...scope, commit: '' }, signal),
      ])
        expect(await failureOf(asked)).to.include({
          code: 'engine-unreachable',
          message: 'store-1: the server there does not answer like a Docker Engine',
        })
    })

  it('says engine-unsupported where Podman listens, and does nothing there', async () => {
    await using there = await stranger((_, response) => {
      response.setHeader('content-type', 'application/json')
      response.end(
        JSON.stringify({
          Platform: { Name: 'linux/amd64/debian-12' },
          Components: [
            {
              Name: 'Podman Engine',
              Version: '4.3.1',
              Details: { APIVersion: '4.3.1', MinAPIVersion: '4.0.0' },
            },
            { Name: 'Conmon', Version: 'conmon version 2.1.6, commit: unknown' },
          ],
          Version: '4.3.1',
          ApiVersion: '1.41',
        }),
      )
    })
    expect(await failureOf(there.engine.observe(scope, signal))).to.include({
      code: 'engine-unsupported',
      message: 'store-1: Podman Engine 4.3.1 listens there instead of a Docker Engine',
    })
    expect(there.paths).to.deep.equal(['/version?'])
  })

  it('G12 gives up a call at once when it is told to', async () => {
    const silent = Promise.withResolvers<void>()
    await using there = await stranger(() => silent.resolve())
    const told = new AbortController()
    const observing = failureOf(there.engine.observe(scope, told.signal))
    await silent.promise
    told.abort()
    expect((await observing).code).to.equal('interrupted')
  })

  it('G17 says at once that an engine broke off in the middle of an answer', async () => {
    await using there = await stranger((request, response) => {
      if (request.url === '/version?') return void response.end('{"ApiVersion":"1.44"}')
      response.writeHead(200, { 'content-type': 'application/json' })
      response.write('[', () => response.destroy())
    })
    expect(await failureOf(there.engine.observe(scope, signal))).to.include({
      code: 'engine-unreachable',
      message: 'store-1: aborted',
    })
  })

  it('listens to one stream of events, says so when it breaks off, and connects again', async () => {
    let streams = 0
    await using there = await stranger((request, response) => {
      response.setHeader('content-type', 'application/json')
      if (request.url === '/version?') response.end('{"ApiVersion":"1.44"}')
      else if (request.url?.startsWith('/v1.44/events')) {
        streams += 1
        const Attributes = { ...identityLabels(scope), 'tallyman.service': 'web', name: 'web' }
        const event = JSON.stringify({ Type: 'container', Action: 'die', Actor: { Attributes } })
        response.write(`${event.slice(0, -1)},"timeNano":1700000000123456789}\n`)
        setImmediate(() => response.destroy())
      } else response.end('[]')
    })
    const events: unknown[] = []
    const failure = await failureOf(there.engine.watch(scope, event => events.push(event), signal))
    expect(failure.code).to.equal('engine-unreachable')
    expect(events).to.deep.equal([
      { site: 'store-1', container: 'web', action: 'die', atMs: 1_700_000_000_123 },
    ])
    expect(streams).to.equal(1)
    expect((await there.engine.observe(scope, signal)).containers).to.deep.equal([])
  })

  it('hands the words of a refusal on', async () => {
    await using there = await stranger((request, response) => {
      response.setHeader('content-type', 'application/json')
      if (request.url === '/version?') response.end('{"ApiVersion":"1.44"}')
      else response.writeHead(500).end('{"message":"the store is on fire"}')
    })
    expect(await failureOf(there.engine.observe(scope, signal))).to.include({
      code: 'engine-refused',
      message: 'store-1: list of containers: the store is on fire',
    })
  })
})
