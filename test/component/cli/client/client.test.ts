import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { createClient } from '../../../../lib/cli/client/client.ts'
import { failureOf } from '../../../support/failures/failure-of.ts'
import { refused } from '../../../support/failures/refused.ts'

/** Something that speaks HTTP on a socket. */
async function listening(answer: RequestListener) {
  const directory = await mkdtemp(join(tmpdir(), 'tallyman-client-'))
  const socket = join(directory, 'socket')
  const server = createServer(answer).listen(socket)
  await once(server, 'listening')
  return {
    socket,
    async [Symbol.asyncDispose]() {
      server.close()
      await rm(directory, { recursive: true })
    },
  }
}

const json =
  (status: number, body: unknown): RequestListener =>
  (_, response) =>
    response
      .writeHead(status, { 'content-type': 'application/json', connection: 'close' })
      .end(JSON.stringify(body))

describe('speaking to a daemon', () => {
  for (const [what, answer] of [
    ['an engine', json(404, { message: 'page not found' })],
    ['a list', json(500, [])],
    ['nothing', json(502, null)],
    ['an error without a code', json(500, { error: 'it broke' })],
    ['HTML', (_, response) => response.writeHead(404, { connection: 'close' }).end('<html>')],
  ] as const satisfies readonly (readonly [string, RequestListener])[]) {
    it(`G13 takes nothing else for one: ${what}`, async () => {
      await using there = await listening(answer)
      const said = await refused(createClient(there.socket).get('/api/v1/environments'))
      expect(said).to.match(/^daemon-unreachable: .*(is not a tallyman daemon|cannot be understood)$/)
      expect(said).to.contain(there.socket)
    })
  }

  it('G12 G13 tells a daemon that does not answer from none', async () => {
    await using there = await listening(() => undefined)
    const client = createClient(there.socket, { GET: 20, POST: 20 })
    for (const asked of [client.get('/'), client.text('/'), client.post('/', {})]) {
      const { code, message, hint } = await failureOf(asked)
      expect([code, message, hint]).to.deep.equal([
        'daemon-unreachable',
        `the daemon on ${there.socket} does not answer within 0.02 s`,
        'Look at its log. If that lasts, end it and start it again.',
      ])
    }
  })

  it('G13 tells a daemon that ends in the middle of its answer as one that is not there', async () => {
    await using there = await listening((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('[{"environment"')
      setImmediate(() => response.destroy())
    })
    const { code, message } = await failureOf(createClient(there.socket).get('/api/v1/environments'))
    expect([code, message]).to.deep.equal(['daemon-unreachable', `no daemon answers on ${there.socket}`])
  })

  it('G13 hands on what the daemon refuses, also with a code that only a later version knows', async () => {
    const error = { code: 'wrong-usage', message: 'there is no site "x"', hint: 'Name another one.' }
    await using here = await listening(json(400, { error }))
    expect(await refused(createClient(here.socket).get('/'))).to.equal('wrong-usage: there is no site "x"')
    await using later = await listening(json(400, { error: { code: 'moon-full', message: 'wait for day' } }))
    expect(await refused(createClient(later.socket).get('/'))).to.equal(
      'daemon-unreachable: wait for day (moon-full, which this version of tallyman does not know)',
    )
  })
})
