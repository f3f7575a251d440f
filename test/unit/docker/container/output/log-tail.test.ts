import { createServer } from 'node:http'
import { expect } from 'chai'
import { openClient } from '../../../../../lib/docker/api/client.ts'
import { logTail } from '../../../../../lib/docker/container/output/log-tail.ts'
import { close, listen } from '../../../../support/network/listen.ts'

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
})
