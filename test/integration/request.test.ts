import { createServer, type RequestListener, type Server } from 'node:http'
import { expect } from 'chai'
import { type HttpRequest, type HttpResponse, request } from '../../lib/request.ts'
import { refused } from '../support/failures/refused.ts'
import { close, listen } from '../support/network/listen.ts'

const { signal } = new AbortController()

async function bodyOf({ body }: HttpResponse): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

describe('an HTTP request', () => {
  let server: Server | undefined

  afterEach(async () => {
    if (server !== undefined) await close(server)
    server = undefined
  })

  async function serve(answer: RequestListener): Promise<string> {
    server = createServer(answer)
    return `http://127.0.0.1:${await listen(server)}`
  }

  async function textOf(query: HttpRequest): Promise<string> {
    return bodyOf(await request(query, signal))
  }

  it('gives status, headers and body, whatever the status', async () => {
    const url = await serve((incoming, answer) => answer.writeHead(404, { 'x-a': 'b' }).end(incoming.method))
    const response = await request({ url, method: 'POST', body: Buffer.from('x') }, signal)
    expect(response).to.include({ status: 404 })
    expect(response.headers['x-a']).to.equal('b')
    expect(await bodyOf(response)).to.equal('POST')
  })

  it('G24 ends at the limit of bytes', async () => {
    const url = await serve((_, answer) => answer.end('x'.repeat(1001)))
    expect(await refused(textOf({ url, limits: { bytes: 1000 } }))).to.equal(
      `http-too-large: ${url}/: the answer is larger than 1000 bytes`,
    )
  })

  it('ends when no byte comes, or all takes too long', async () => {
    const url = await serve((_, answer) => {
      answer.write('x')
    })
    expect(await refused(textOf({ url, limits: { idleMs: 50 } }))).to.equal(
      `http-timeout: ${url}/: no byte for 0.05 s`,
    )
    expect(await refused(textOf({ url, limits: { totalMs: 50 } }))).to.equal(
      `http-timeout: ${url}/: did not finish within 0.05 s`,
    )
  })

  it('says when the connection breaks off in the body', async () => {
    const url = await serve((_, answer) => {
      answer.write('x', () => answer.destroy())
    })
    expect(await refused(textOf({ url }))).to.equal(`http-unreachable: ${url}/: the connection broke off`)
  })

  it('G24 follows five redirects on its own host, and none elsewhere', async () => {
    const url = await serve((incoming, answer) => {
      const left = Number(incoming.url?.slice(1))
      if (left === 0) return answer.end('here')
      return answer.writeHead(302, { location: `/${left - 1}` }).end()
    })
    expect(await textOf({ url: `${url}/5` })).to.equal('here')
    expect(await refused(textOf({ url: `${url}/6` }))).to.match(/^http-redirect-refused: .*on and on/)
    await close(server ?? expect.fail())
    const other = await serve((_, answer) => answer.writeHead(302, { location: 'http://localhost:1/' }).end())
    expect(await refused(textOf({ url: other }))).to.equal(
      `http-redirect-refused: ${other}/: leads to another host, http://localhost:1`,
    )
  })

  it('G16 neither sends nor names credentials of the address', async () => {
    const url = await serve((incoming, answer) => answer.end(String(incoming.headers.authorization)))
    const login = url.replace('://', '://ada:s3cret@')
    expect(await textOf({ url: login })).to.equal('undefined')
    expect(await refused(textOf({ url: login, limits: { bytes: 1 } }))).not.to.contain('s3cret')
  })

  it('fails with the reason of whoever aborts it', async () => {
    const url = await serve(() => undefined)
    const abort = new AbortController()
    const asking = request({ url }, abort.signal)
    const reason = new Error('shutting down')
    abort.abort(reason)
    expect(await asking.catch((error: unknown) => error)).to.equal(reason)
  })
})
