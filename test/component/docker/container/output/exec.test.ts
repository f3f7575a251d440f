import { createServer } from 'node:http'
import { expect } from 'chai'
import { openClient } from '../../../../../lib/docker/api/client.ts'
import { type Execution, exec } from '../../../../../lib/docker/container/output/exec.ts'
import { hasAnswered, silenceIn } from '../../../../../lib/docker/ingress/ingress-container.ts'
import { close, listen } from '../../../../support/network/listen.ts'

const { signal } = new AbortController()

/** Runs a program that writes so many bytes, and ends well. */
async function ran(written: number, more: Partial<Execution> = {}) {
  const frame = (text: string) => {
    const head = Buffer.alloc(8)
    head[0] = 1
    head.writeUInt32BE(text.length, 4)
    return Buffer.concat([head, Buffer.from(text)])
  }
  const server = createServer((request, response) => {
    const [path = ''] = request.url?.split('?') ?? []
    if (path.startsWith('/version')) return void response.end('{"ApiVersion":"1.44"}')
    if (path.endsWith('/start')) return void response.end(frame('x'.repeat(written - 8)))
    if (path.endsWith('/json')) return void response.end('{"Running":false,"ExitCode":0}')
    response.statusCode = 201
    response.end('{"Id":"one"}')
  })
  const client = openClient(
    { name: 'local', endpoint: `tcp://127.0.0.1:${await listen(server)}` },
    async () => undefined,
  )
  try {
    const answer = await exec(client, 'ingress', { argv: ['say'], limitMs: 10_000, ...more }, signal)
    if (!answer.ok) throw new Error(answer.message)
    const { output, ...rest } = answer.body
    return {
      ...{ ...rest, characters: output.length },
      ...{
        hasAnswered: hasAnswered(answer.body),
        silence: silenceIn(client, { ...answer.body, output: '' }),
      },
    }
  } finally {
    await close(server)
  }
}

describe('a program in a container', () => {
  it('G24 is read up to 1 MiB, and whoever asked knows if that is not all', async () => {
    expect(await ran(2 ** 20)).to.include({ characters: 2 ** 20 - 8, hasAnswered: true })
    expect(await ran(2 ** 20 + 1)).to.deep.equal({
      characters: 2 ** 20 - 8,
      isCut: true,
      exitCode: 0,
      hasAnswered: false,
      silence: 'its answer is larger than is read',
    })
  })

  it('G24 is read as far as its answer may reach', async () => {
    expect(await ran(2 ** 22, { mostBytes: 2 ** 22 })).to.include({
      characters: 2 ** 22 - 8,
      hasAnswered: true,
    })
    expect(await ran(100, { mostBytes: 99 })).to.include({ isCut: true, hasAnswered: false })
  })
})
