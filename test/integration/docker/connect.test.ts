import { createServer, type RequestListener } from 'node:http'
import { expect } from 'chai'
import { connect } from '../../../lib/docker/connect.ts'
import type { Engine } from '../../../lib/engine.ts'
import { Failure } from '../../../lib/errors.ts'
import { runningSocket } from '../../support/env.ts'
import { close, listen } from '../../support/listen.ts'

const { signal } = new AbortController()
const scope = { environment: 'nowhere', source: 'https://git.example.com/ops/manifests' }

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

async function failureOf(promise: Promise<unknown>): Promise<Failure> {
  const failure = await promise.catch((error: unknown) => error)
  if (failure instanceof Failure) return failure
  throw new Error('it did not fail', { cause: failure })
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
      message: 'store-1: what listens there does not answer as a Docker Engine',
    })
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

  it('says so when the stream of events breaks off, and connects again', async () => {
    await using there = await stranger((request, response) => {
      response.setHeader('content-type', 'application/json')
      if (request.url === '/version?') response.end('{"ApiVersion":"1.44"}')
      else if (request.url?.startsWith('/v1.44/events')) {
        response.write(
          '{"Action":"die","Actor":{"Attributes":{"name":"web"}},"timeNano":1700000000123456789}\n',
        )
        setImmediate(() => response.destroy())
      } else response.end('[]')
    })
    const events: unknown[] = []
    const failure = await failureOf(there.engine.watch(scope, event => events.push(event), signal))
    expect(failure.code).to.equal('engine-unreachable')
    expect(events).to.deep.equal([
      { site: 'store-1', container: 'web', action: 'die', atMs: 1_700_000_000_123 },
    ])
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
