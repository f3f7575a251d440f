import { createServer } from 'node:http'
import { expect } from 'chai'
import { openClient } from '../../../../../lib/docker/api/client.ts'
import type { EngineAnswer } from '../../../../../lib/docker/api/connection/dial.ts'
import { logTail } from '../../../../../lib/docker/container/output/log-tail.ts'
import { close, listen } from '../../../../support/network/listen.ts'
import { inPassingTime } from '../../../../support/time/passing-time.ts'
import { clientWith } from '../../answering.ts'
import { frame } from '../../logs/frames.ts'

describe('logTail', () => {
  for (const said of [
    '{"level":"fatal","msg":"no database"}',
    '7',
    'null',
    '"no database"',
    '[]',
    'no database',
    '',
  ])
    it(`H7 returns what a terminal showed as it is: ${said}`, async () => {
      const server = createServer(({ url = '' }, response) => {
        response.end(url.includes('/logs') ? `${said}\r\n` : '{"ApiVersion":"1.41","Version":"20.10.24"}')
      })
      const port = await listen(server)
      const site = { name: 'local', endpoint: `tcp://127.0.0.1:${port}` }
      const client = openClient(site, async () => undefined)
      try {
        expect(await logTail(client, 'web', new AbortController().signal)).to.equal(`${said}\n`)
      } finally {
        client.close()
        await close(server)
      }
    })

  it('G13 H7 asks again where the engine says that it cannot read yet, as that of a Swarm does of a node that comes back', async () => {
    const answers = [frame(3, 'Error grabbing logs: node n1 is not available'), frame(1, 'boom')]
    const end = await inPassingTime(() => {
      const client = clientWith(
        async <T>(): Promise<EngineAnswer<T>> => ({ ok: true, body: answers.shift() as T }),
      )
      return logTail(client, 'web', new AbortController().signal)
    })
    expect(end.end).to.equal('boom')
  })

  it('G13 H7 says that it cannot be read where the engine says so for as long as that is waited for', async () => {
    const { end, passedMs } = await inPassingTime(() => {
      const refused = frame(3, 'Error grabbing logs: node n1 is not available')
      const client = clientWith(async <T>(): Promise<EngineAnswer<T>> => ({ ok: true, body: refused as T }))
      return logTail(client, 'web', new AbortController().signal)
    })
    expect(end).to.equal(undefined)
    expect(passedMs).to.be.within(5_000, 6_000)
  })
})
