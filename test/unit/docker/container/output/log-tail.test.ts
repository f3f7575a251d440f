import { createServer } from 'node:http'
import { expect } from 'chai'
import { openClient } from '../../../../../lib/docker/api/client.ts'
import { logTail, logText } from '../../../../../lib/docker/container/output/log-tail.ts'
import { close, listen } from '../../../../support/listen.ts'

const frame = (stream: number, text: string) =>
  Buffer.concat([Buffer.from([stream, 0, 0, 0, 0, 0, 0, Buffer.byteLength(text)]), Buffer.from(text)])

describe('textOf', () => {
  it("takes the engine's frames off both streams", () => {
    expect(logText(Buffer.concat([frame(1, 'starting\n'), frame(2, 'no dätabase\n')]))).to.equal(
      'starting\nno dätabase\n',
    )
  })

  it('takes what a terminal showed as it is, with lines as others end them', () => {
    expect(logText(Buffer.from('starting\r\nno d\u00e4tabase\r\n'))).to.equal('starting\nno d\u00e4tabase\n')
    expect(logText(Buffer.from('hi\r\n'))).to.equal('hi\n')
  })

  it('takes a frame that was cut off as far as it goes', () => {
    expect(logText(frame(1, 'starting').subarray(0, 12))).to.equal('star')
    expect(logText(Buffer.alloc(0))).to.equal('')
  })
})

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
