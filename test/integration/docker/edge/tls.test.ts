import { once } from 'node:events'
import { copyFile, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { type AddressInfo, connect as dial } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer, type TLSSocket } from 'node:tls'
import { expect } from 'chai'
import { connect } from '../../../../lib/docker/connect.ts'
import { Failure } from '../../../../lib/errors.ts'
import { runningSocket } from '../../../support/suite/env.ts'

type Era = 'first' | 'second'

const { signal } = new AbortController()
const fixtures = new URL('../../../../fixtures/tls/', import.meta.url).pathname
const pem = (name: string) => readFile(join(fixtures, name))

/** What an engine shows of itself, and whom it lets in. */
async function trusting(era: Era) {
  const [ca, cert, key] = await Promise.all(
    [`${era}-ca.pem`, `${era}-engine.pem`, `${era}-engine.key`].map(pem),
  )
  return { ca, cert, key }
}

/** The engine of this machine behind mutual TLS, whose authority and certificate can be exchanged while it runs. */
async function engineBehindTls(era: Era) {
  const open = new Set<TLSSocket>()
  const server = createServer(
    { ...(await trusting(era)), requestCert: true, rejectUnauthorized: true },
    socket => {
      open.add(socket)
      const engine = dial(runningSocket())
      socket.pipe(engine).pipe(socket)
      socket.on('error', () => engine.destroy()).on('close', () => open.delete(socket))
      engine.on('error', () => socket.destroy())
    },
  )
  server.on('tlsClientError', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const hangUp = () => {
    for (const socket of open) socket.destroy()
  }
  return {
    endpoint: `tcp://127.0.0.1:${port}`,
    /** Lets nobody in from now on who does not know the new authority, and hangs up on everybody. */
    async renew(to: Era) {
      server.setSecureContext({ ...(await trusting(to)) })
      hangUp()
    },
    async [Symbol.asyncDispose]() {
      hangUp()
      server.close()
      await once(server, 'close')
    },
  }
}

/** The files of a site, which are exchanged as whole files. */
async function siteFiles(era: Era) {
  const directory = await mkdtemp(join(tmpdir(), 'tallyman-tls-'))
  const put = async (name: string, from: string) => {
    await copyFile(join(fixtures, from), join(directory, `${name}.new`))
    await rename(join(directory, `${name}.new`), join(directory, name))
  }
  const renew = async (to: Era) => {
    await put('ca.pem', `${to}-ca.pem`)
    await put('cert.pem', `${to}-client.pem`)
    await put('key.pem', `${to}-client.key`)
  }
  await renew(era)
  return {
    tls: {
      ca: join(directory, 'ca.pem'),
      cert: join(directory, 'cert.pem'),
      key: join(directory, 'key.pem'),
    },
    put,
    renew,
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true }),
  }
}

async function outcome(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'answered',
    error => (error instanceof Failure ? error.code : String(error)),
  )
}

describe('an engine behind TLS', () => {
  it('is reached on with every file renewed, without a restart and without a failed call', async () => {
    await using behind = await engineBehindTls('first')
    await using files = await siteFiles('first')
    const engine = connect(
      { name: 'store-1', endpoint: behind.endpoint, tls: files.tls },
      async () => undefined,
    )
    const calls = [await outcome(engine.info(signal))]
    await behind.renew('second')
    await files.renew('second')
    for (let call = 0; call < 4; call += 1) calls.push(await outcome(engine.info(signal)))
    expect(calls).to.deep.equal(['answered', 'answered', 'answered', 'answered', 'answered'])
  })

  it('is reached again as soon as the files are right, whatever they were in between', async () => {
    await using behind = await engineBehindTls('first')
    await using files = await siteFiles('first')
    const engine = connect(
      { name: 'store-1', endpoint: behind.endpoint, tls: files.tls },
      async () => undefined,
    )
    expect(await outcome(engine.info(signal))).to.equal('answered')
    const refusals = ['engine-denied', 'engine-unreachable']
    await behind.renew('second')
    expect(await outcome(engine.info(signal))).to.be.oneOf(refusals)
    await files.put('ca.pem', 'second-ca.pem')
    expect(await outcome(engine.info(signal))).to.be.oneOf(refusals)
    await files.put('cert.pem', 'second-client.pem')
    expect(await outcome(engine.info(signal))).to.be.oneOf(refusals)
    await files.put('key.pem', 'second-client.key')
    expect(await outcome(engine.info(signal))).to.equal('answered')
  })

  it('is reached on while the files are away, and lets nobody in who has none', async () => {
    await using behind = await engineBehindTls('first')
    await using files = await siteFiles('first')
    const site = { name: 'store-1', endpoint: behind.endpoint, tls: files.tls }
    const engine = connect(site, async () => undefined)
    expect(await outcome(engine.info(signal))).to.equal('answered')
    await rm(files.tls.cert)
    expect(await outcome(engine.info(signal))).to.equal('answered')
    expect(await outcome(connect(site, async () => undefined).info(signal))).to.equal('engine-denied')
    await files.renew('first')
    expect(await outcome(connect(site, async () => undefined).info(signal))).to.equal('answered')
  })
})
