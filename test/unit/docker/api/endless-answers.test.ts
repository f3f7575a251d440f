import { createServer, type ServerResponse } from 'node:http'
import { expect } from 'chai'
import { openClient } from '../../../../lib/docker/api/client.ts'
import type { EngineRequest } from '../../../../lib/docker/api/connection/dial.ts'
import { failureOf } from '../../../support/failure-of.ts'
import { close, listen } from '../../../support/listen.ts'

const { signal } = new AbortController()
const read: EngineRequest = { method: 'GET', path: '/containers/json' }

/** An engine that answers everything but the question for its version like this. */
async function engine(answer: (response: ServerResponse) => void) {
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/version') === true) response.end('{"ApiVersion":"1.44"}')
    else answer(response)
  })
  const client = openClient(
    { name: 'local', endpoint: `tcp://127.0.0.1:${await listen(server)}` },
    async () => undefined,
  )
  return {
    call: <T>(request: EngineRequest) => client.call<T>(request, signal),
    [Symbol.asyncDispose]: () => close(server),
  }
}

const piece = Buffer.alloc(1024 * 1024, ' ')

/** Sends blanks for as long as somebody reads, and tells when nobody does. */
function endless(status: number) {
  const left = Promise.withResolvers<void>()
  const answer = (response: ServerResponse) => {
    response.writeHead(status)
    response.on('close', left.resolve)
    const send = () => {
      while (!response.destroyed && response.write(piece));
    }
    response.on('drain', send)
    send()
  }
  return { answer, left: left.promise }
}

describe('an engine that does not stop to answer', () => {
  it('G17 G22 is left, and its site has an error that says what was too large', async () => {
    const { answer, left } = endless(200)
    await using there = await engine(answer)
    expect(await failureOf(there.call(read))).to.include({
      code: 'engine-unreachable',
      message: 'local: the answer to GET /containers/json has more than 134217728 bytes',
    })
    await left
  })

  it('G17 G22 is left much earlier if it refuses', async () => {
    const { answer, left } = endless(500)
    await using there = await engine(answer)
    expect(await failureOf(there.call(read))).to.include({
      code: 'engine-unreachable',
      message: 'local: the answer to GET /containers/json has more than 1048576 bytes',
    })
    await left
  })

  it('is read to its end where it has ten thousand containers with many labels', async () => {
    const labels = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`label-${n}`, 'x'.repeat(60)]))
    const containers = Array.from({ length: 10_000 }, (_, n) => ({ Id: `${n}`, Labels: labels }))
    await using there = await engine(response => response.end(JSON.stringify(containers)))
    const answer = await there.call<readonly unknown[]>(read)
    expect(answer.ok && answer.body.length).to.equal(10_000)
  })
})

describe('the words of a refusal', () => {
  const rows: readonly (readonly [what: string, body: string, message: string])[] = [
    ['of an engine', '{"message":"No such container: web"}', 'No such container: web'],
    ['of a proxy that speaks JSON', '{"error":"not today"}', 'not today'],
    ['of a proxy that does not', '<b>no</b>\n', '<b>no</b>'],
    ['of nobody', '', ''],
  ]
  for (const [what, body, message] of rows)
    it(`are those ${what}`, async () => {
      await using there = await engine(response => response.writeHead(404).end(body))
      expect(await there.call(read)).to.deep.equal({ ok: false, status: 404, message })
    })
})
