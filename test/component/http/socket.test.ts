import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { ErrorCode } from '../../../lib/errors/catalogue.ts'
import { Failure } from '../../../lib/errors.ts'
import { serveControl } from '../../../lib/http/socket.ts'
import { refused } from '../../support/failures/refused.ts'
import { type MemoryDaemon, manifestOf, memoryDaemon } from '../../support/memory/memory-daemon.ts'
import { type Answer, httpCall } from '../../support/network/http-call.ts'

const files = manifestOf('prod', { web: '1' })
const mostBytes = 65_536

describe('the control socket', () => {
  let directory = ''
  let file = ''
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'tallyman-control-'))
    file = join(directory, 'control.sock')
  })
  afterEach(() => rmSync(directory, { recursive: true }))

  /** Serves a daemon until the end of the test. */
  async function serve(daemon: MemoryDaemon): Promise<AsyncDisposable> {
    const { close } = await serveControl({ ...daemon.control, file })
    return { [Symbol.asyncDispose]: close }
  }

  const post = (path: string, body: string | Buffer) =>
    httpCall({ socketPath: file, path, method: 'POST' }, body)
  const get = (path: string) => httpCall({ socketPath: file, path })

  it('G13 is opened by its owner alone, whatever the umask lets through', async () => {
    const before = process.umask(0)
    try {
      await using daemon = await memoryDaemon({ files })
      await using _served = await serve(daemon)
      const { mode } = statSync(file)
      expect((mode & 0o777).toString(8)).to.equal('600')
    } finally {
      process.umask(before)
    }
  })

  it('G13 is one that commands can open, or there is none and the daemon says why, however long its path is', async () => {
    await using daemon = await memoryDaemon({ files })
    for (let bytes = 90; bytes <= 120; bytes += 1) {
      const parent = join(directory, 'x'.repeat(bytes - directory.length - '//control.sock'.length))
      mkdirSync(parent)
      file = join(parent, 'control.sock')
      expect(file).to.have.length(bytes)
      if (bytes > 107) {
        expect(await refused(serve(daemon))).to.equal(
          `state-dir-unusable: ${file}: a path of ${bytes} bytes is too long for a socket, which has 107 at most`,
        )
        expect(existsSync(file)).to.equal(false)
        continue
      }
      await using _served = await serve(daemon)
      expect((await get('/metrics')).status, `${bytes} bytes`).to.equal(200)
    }
  })

  it('G13 answers what is asked, with the names of a path as commands encode them', async () => {
    await using daemon = await memoryDaemon({ files })
    await using _served = await serve(daemon)
    await daemon.pass()
    const plan = await get('/api/v1/environments/environments%2Fprod/plan')
    expect([plan.status, plan.headers['content-type'], jsonOf(plan).environment]).to.deep.equal([
      200,
      'application/json',
      'prod',
    ])
    const metrics = await get('/metrics')
    expect([metrics.status, metrics.headers['content-type']]).to.deep.equal([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ])
  })

  it('G13 does what the path names, whatever else a request says', async () => {
    await using daemon = await memoryDaemon({ files })
    await using _served = await serve(daemon)
    await daemon.pass()
    const [{ waiting }] = jsonOf(await get('/api/v1/environments'))
    const path = `/api/v1/plans/${waiting.plan}/discard?id=of-the-query`
    const answer = jsonOf(await post(path, '{"id": "of-the-body", "__proto__": {"id": "of-nobody"}}'))
    expect(answer).to.deep.equal({ discarded: waiting.plan, environment: 'prod' })
  })

  it('G13 passes nothing on that acts on a terminal', async () => {
    await using daemon = await memoryDaemon({ files })
    await using _served = await serve(daemon)
    await daemon.pass()
    await post('/api/v1/suspend', JSON.stringify({ reason: 'a\u009b2Kb\u202ec', who: 'ann' }))
    const { body } = await post('/api/v1/suspend', '{"reason": "again"}')
    expect(body.toString()).to.match(/a\\u009b2Kb\\u202ec/)
  })

  for (const [what, body] of [
    ['a list', '[1]'],
    ['null', 'null'],
    ['a number', '7'],
    ['a text', '"x"'],
    ['half of an object', '{"reason": '],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x00])],
  ] as const)
    it(`G13 takes no body but an object: ${what}`, async () => {
      await using daemon = await memoryDaemon({ files })
      await using _served = await serve(daemon)
      expect(codeOf(await post('/api/v1/suspend', body))).to.deep.equal([400, 'wrong-usage'])
      expect(daemon.journal.suspensions('prod', 0)).to.deep.equal([])
    })

  it('G22 takes a body of 64 KiB and not a byte more, whether its length is told or not', async () => {
    await using daemon = await memoryDaemon({ files })
    await using _served = await serve(daemon)
    await daemon.pass()
    const bodyOf = (bytes: number) => `{"environment": "prod"}${' '.repeat(bytes - 23)}`
    expect((await post('/api/v1/reconcile', bodyOf(mostBytes))).status).to.equal(200)
    expect(codeOf(await post('/api/v1/reconcile', bodyOf(mostBytes + 1)))).to.deep.equal([400, 'wrong-usage'])
    expect(codeOf(await inPieces(file, '/api/v1/reconcile', bodyOf(mostBytes + 1)))).to.deep.equal([
      400,
      'wrong-usage',
    ])
  })

  for (const [method, path, expected] of [
    ['GET', '/', 404],
    ['GET', '/api/v1/environments/', 404],
    ['GET', '/api/v1/environments/a/b/plan', 404],
    ['POST', '/api/v1/environments', 404],
    ['GET', '/api/v1/suspend', 404],
    ['DELETE', '/api/v1/plans/x', 404],
    ['GET', '/api/v1/environments/%zz/plan', 400],
    ['GET', '/api/v1/environments/%ff/plan', 400],
    ['GET', '//', 400],
    ['GET', 'http://[', 400],
    ['HEAD', '/api/v1/environments', 404],
    ['OPTIONS', '*', 404],
    ['PUT', '/api/v1/suspend', 404],
  ] as const)
    it(`G13 refuses in words what it does not know: ${method} ${path}`, async () => {
      await using daemon = await memoryDaemon({ files })
      await using _served = await serve(daemon)
      const answer = await httpCall({ socketPath: file, path, method })
      expect(answer.status).to.equal(expected)
      if (method === 'HEAD') return
      expect(codeOf(answer)).to.deep.equal([expected, 'wrong-usage'])
      expect(jsonOf(answer).error.hint).to.be.a('string').and.not.equal('')
    })

  it('G13 knows a name of any length, in an address that is written in any way that means the same', async () => {
    await using daemon = await memoryDaemon({ files })
    await using _served = await serve(daemon)
    await daemon.pass()
    const long = 'x'.repeat(4_000)
    const { error } = jsonOf(await get(`/api/v1/environments/${long}/plan`))
    expect(error.message).to.match(/^there is no environment "x+/)
    for (const path of [
      'http://control/api/v1/environments',
      '/api/v1/./environments',
      '/api/v1/environments?x=1&x=2#y',
    ])
      expect((await get(path)).status, path).to.equal(200)
  })

  it('G13 reads a body as JSON, whatever type it says it has, and checks it before it does anything', async () => {
    await using daemon = await memoryDaemon({ files })
    await using _served = await serve(daemon)
    await daemon.pass()
    const sent = (type: string, body: string) =>
      httpCall(
        { socketPath: file, path: '/api/v1/suspend', method: 'POST', headers: { 'content-type': type } },
        body,
      )
    for (const type of [
      'application/json',
      'text/plain; charset=latin1',
      'application/x-www-form-urlencoded',
    ])
      expect((await sent(type, '{"reason": "x", "replace": true}')).status, type).to.equal(200)
    for (const [body, message] of [
      ['{"reason": 7}', 'reason must be string'],
      ['{"reason": "x", "untilMs": "1"}', 'untilMs must be integer'],
      ['{"reason": "x", "untilMs": 9e15}', 'untilMs must be <= 8640000000000000'],
      ['{"reason": "x", "untilMs": -9e15}', 'untilMs must be >= 0'],
      ['{"reason": "x", "replace": "yes"}', 'replace must be boolean'],
      ['{"environment": ["prod"], "who": null}', 'environment must be string, who must be string'],
    ] as const) {
      const answer = await sent('application/json', body)
      expect([answer.status, jsonOf(answer).error.message]).to.deep.equal([400, message])
    }
    expect(daemon.journal.suspensions('prod', 0).map(({ reason }) => reason)).to.deep.equal(['x'])
  })

  it('G13 tells in words what is no HTTP, and ends the connection', async () => {
    await using daemon = await memoryDaemon({ files })
    await using _served = await serve(daemon)
    const open = connect(file)
    const chunks: Buffer[] = []
    open.on('data', chunk => chunks.push(chunk))
    const closed = new Promise(resolve => open.once('close', resolve))
    open.write('what is this\r\n\r\n')
    await closed
    const [head = '', body = ''] = Buffer.concat(chunks).toString().split('\r\n\r\n')
    expect(head.split('\r\n')[0]).to.equal('HTTP/1.1 400 Bad Request')
    expect(JSON.parse(body).error).to.include({
      code: 'wrong-usage',
      message: 'the request is no HTTP that can be read',
    })
  })

  const statuses: readonly (readonly [code: ErrorCode, status: number])[] = [
    ['wrong-usage', 400],
    ['config-invalid', 400],
    ['plan-changed', 409],
    ['plan-answered', 409],
    ['already-suspended', 409],
    ['another-writer', 409],
    ['control-forbidden', 403],
    ['environment-unread', 503],
    ['disk-full', 500],
  ]
  for (const [code, status] of statuses)
    it(`G13 answers ${code} with ${status}, and with what the hint of it is`, async () => {
      await using daemon = await memoryDaemon({ files })
      const failure = new Failure(code, 'as it is')
      const refuses = () => {
        throw failure
      }
      await using _served = await serve({ ...daemon, control: { ...daemon.control, nowMs: refuses } })
      const answer = await get('/api/v1/environments')
      expect([answer.status, jsonOf(answer)]).to.deep.equal([
        status,
        { error: { code, message: 'as it is', hint: failure.hint } },
      ])
    })

  it('G13 calls a defect what nobody expected, and goes on', async () => {
    await using daemon = await memoryDaemon({ files })
    let calls = 0
    const nowMs = () => {
      calls += 1
      if (calls === 1) throw new TypeError('x is not a function')
      return 0
    }
    await using _served = await serve({ ...daemon, control: { ...daemon.control, nowMs } })
    expect(codeOf(await get('/api/v1/environments'))).to.deep.equal([500, 'internal'])
    expect((await get('/api/v1/environments')).status).to.equal(200)
  })

  it('G24 refuses a second daemon, and the first one serves on', async () => {
    await using daemon = await memoryDaemon({ files })
    await using _served = await serve(daemon)
    await using second = await memoryDaemon({ files })
    expect(await refused(serve(second))).to.match(/^another-writer: /)
    expect((await get('/api/v1/environments')).status).to.equal(200)
  })

  it('G12 takes the place of a socket that a dead process left behind, and of anything else there', async () => {
    await using daemon = await memoryDaemon({ files })
    for (const leave of [leaveSocket, leaveFile]) {
      await leave(file)
      await using _served = await serve(daemon)
      expect((await get('/api/v1/environments')).status).to.equal(200)
    }
  })

  it('G24 says where it cannot be', async () => {
    await using daemon = await memoryDaemon({ files })
    const elsewhere = { ...daemon.control, file: join(directory, 'missing', 'control.sock') }
    expect(await refused(serveControl(elsewhere))).to.match(/^state-dir-unusable: .*missing\/control\.sock/)
  })

  it('G12 ends with the connections that are open, and leaves nothing behind', async () => {
    await using daemon = await memoryDaemon({ files })
    const { close } = await serveControl({ ...daemon.control, file })
    const open = connect(file)
    const closed = new Promise(resolve => open.once('close', resolve))
    await new Promise(resolve => open.once('connect', resolve))
    open.write('POST /api/v1/suspend HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{')
    await get('/api/v1/environments')
    await close()
    await closed
    expect(existsSync(file)).to.equal(false)
  })
})

function jsonOf({ body }: Answer): ReturnType<typeof JSON.parse> {
  return JSON.parse(body.toString())
}

function codeOf(answer: Answer): readonly [number, string] {
  return [answer.status, jsonOf(answer).error.code]
}

/** A body whose length nobody tells beforehand. */
function inPieces(socketPath: string, path: string, body: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ agent: false, socketPath, path, method: 'POST' }, async answer => {
      const chunks = await answer.toArray()
      resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) })
    })
    sent.on('error', reject)
    sent.write(body.slice(0, 10))
    sent.end(body.slice(10))
  })
}

/** The socket of a server that ended without removing it. */
async function leaveSocket(file: string): Promise<void> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(`${file}-old`, resolve))
  renameSync(`${file}-old`, file)
  await new Promise(resolve => server.close(resolve))
}

async function leaveFile(file: string): Promise<void> {
  writeFileSync(file, 'no socket')
}
