import { createServer } from 'node:http'
import { mock } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { openClient } from '../../../../lib/docker/api/client.ts'
import { ingressReport } from '../../../../lib/docker/ingress/ingress-report.ts'
import { commands } from '../../../../lib/ingress/container/commands.ts'
import { ingressName } from '../../../../lib/state/application/ingress/route.ts'
import { label } from '../../../../lib/state/labels.ts'
import { identity } from '../../../support/builders/builders.ts'
import { tar } from '../../../support/images/tar.ts'
import { close, listen } from '../../../support/network/listen.ts'

const { signal } = new AbortController()
const owner = identity('prod')

const ingress = {
  Id: 'a1',
  Names: [`/${ingressName}`],
  Image: 'caddy:2',
  ImageID: 'sha256:1',
  State: 'running',
  Labels: {
    [label.application]: ingressName,
    [label.service]: ingressName,
    [label.role]: 'app',
    [label.environment]: owner.environment,
    [label.source]: owner.source,
  },
}

const certificates = tar([
  {
    type: 'file',
    path: 'certificates/local/shop.example.com/shop.example.com.crt',
    content: Buffer.from('the chain'),
    mode: 0o600,
  },
])

/** The report of a drained ingress with a certificate, whose engine does this when it is to run the program for metrics. */
async function reportOf(does: 'hangs' | 'refuses') {
  const asked = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    const [path = ''] = request.url?.split('?') ?? []
    if (path.startsWith('/version')) return void response.end('{"ApiVersion":"1.44"}')
    if (path.endsWith('/containers/json')) return void response.end(JSON.stringify([ingress]))
    if (path.endsWith('/archive')) return void response.end(request.method === 'HEAD' ? '' : certificates)
    if (path.endsWith('/start')) {
      if (does === 'hangs') response.writeHead(200).flushHeaders()
      else response.writeHead(500).end('{"message":"no such program"}')
      return asked.resolve()
    }
    response.statusCode = 201
    response.end('{"Id":"one"}')
  })
  const client = openClient(
    { name: 'local', endpoint: `tcp://127.0.0.1:${await listen(server)}` },
    async () => undefined,
  )
  try {
    let isThere = false
    const report = ingressReport(client, owner, signal).finally(() => {
      isThere = true
    })
    await asked.promise
    // What is under way on the socket gets there before time passes.
    for (let turns = 0; turns < 100 && !isThere; turns += 1) await turn()
    for (let ms = 0; ms <= commands.metrics.limitMs && !isThere; ms += 100) {
      mock.timers.tick(100)
      await turn()
    }
    return await report
  } finally {
    server.closeAllConnections()
    await close(server)
  }
}

describe('the report of an ingress whose metrics do not come', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
  afterEach(() => mock.timers.reset())

  for (const [does, why] of [
    ['hangs', `local: ${ingressName}: no answer in time`],
    ['refuses', `local: ${ingressName}: no such program`],
  ] as const)
    it(`G13 P12 has its certificates and says that it is drained, and why there are no metrics: the engine ${does}`, async () => {
      const report = await reportOf(does)
      expect(report?.isDraining).to.equal(true)
      expect(report?.obtained).to.deep.equal([{ isInternal: true, pem: 'the chain' }])
      expect(report?.metrics).to.include({ message: why })
    })
})
