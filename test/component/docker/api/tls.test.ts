import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { openClient } from '../../../../lib/docker/api/client.ts'
import { Failure } from '../../../../lib/errors.ts'
import { close, listen } from '../../../support/network/listen.ts'

const { signal } = new AbortController()
const fixtures = join(import.meta.dirname, '../../../../fixtures/tls')
const pem = (name: string) => readFile(join(fixtures, name))

/** An engine of the first authority, which lets in whom that authority has signed. */
async function engineBehindTls() {
  const [ca, cert, key] = await Promise.all(['first-ca.pem', 'first-engine.pem', 'first-engine.key'].map(pem))
  return createTlsServer(
    { ca, cert, key, requestCert: true, rejectUnauthorized: true },
    (request, response) => {
      response.setHeader('content-type', 'application/json')
      response.end(request.url?.startsWith('/version') ? '{"ApiVersion":"1.44"}' : '[]')
    },
  ).on('tlsClientError', () => undefined)
}

/** An engine that answers to every greeting only that the certificate is a bad one. */
const engineThatRefuses = () => serverOf(Buffer.from([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 42]))

/** A server that says the same to everybody and hangs up. */
function serverOf(words: Buffer): Server {
  return createServer()
    .removeAllListeners('connection')
    .on('connection', (socket: Socket) => {
      socket.on('error', () => undefined).once('data', () => socket.end(words))
    })
}

/** The files of a site, which can be exchanged, and a call to its engine. */
async function siteOf(server: Server, given: Partial<Record<string, string>>) {
  const directory = await mkdtemp(join(tmpdir(), 'tallyman-tls-'))
  const at = (name: string) => join(directory, name)
  const put = async (files: Partial<Record<string, string>>) => {
    for (const [name, from = ''] of Object.entries(files)) await copyFile(join(fixtures, from), at(name))
  }
  await put({ 'ca.pem': 'first-ca.pem', 'cert.pem': 'first-client.pem', 'key.pem': 'first-client.key' })
  await put(given)
  const address = `127.0.0.1:${await listen(server)}`
  const endpoint = `tcp://${address}`
  const tls = { ca: at('ca.pem'), cert: at('cert.pem'), key: at('key.pem') }
  const client = openClient({ name: 'store-1', endpoint, tls }, async () => undefined)
  return {
    ...{ put, address },
    cert: tls.cert,
    /** What a call comes to: `answered`, or the code, the message and the hint of the failure. */
    call: () =>
      client.call({ method: 'GET', path: '/containers/json' }, signal).then(
        () => 'answered' as const,
        (error: unknown) => {
          if (!(error instanceof Failure)) throw error
          const { code, message, hint } = error
          return { code, message, hint }
        },
      ),
    async [Symbol.asyncDispose]() {
      client.close()
      await close(server)
      await rm(directory, { recursive: true })
    },
  }
}

const expired = { 'cert.pem': 'expired-client.pem', 'key.pem': 'expired-client.key' }
const good = { 'cert.pem': 'first-client.pem', 'key.pem': 'first-client.key' }
const renew =
  'Renew the certificate, and put the new one and its key in place of the "cert" and the "key" under "tls" of the site. The next call to the engine uses them.'

describe('an engine behind TLS that lets nobody in', () => {
  it('G13 is told with the date and the file where the certificate of Tallyman has expired, until it is renewed', async () => {
    await using site = await siteOf(await engineBehindTls(), expired)
    expect(await site.call()).to.deep.equal({
      code: 'engine-denied',
      message: `store-1: Tallyman's certificate expired at 2025-01-01T00:00:00.000Z: ${site.cert}`,
      hint: renew,
    })
    await site.put(good)
    expect(await site.call()).to.equal('answered')
  })

  it('G13 is told so also where the engine says only that the certificate is a bad one', async () => {
    await using site = await siteOf(engineThatRefuses(), expired)
    expect(await site.call()).to.deep.equal({
      code: 'engine-denied',
      message: `store-1: Tallyman's certificate expired at 2025-01-01T00:00:00.000Z: ${site.cert}`,
      hint: renew,
    })
  })

  it('G13 is told in one sentence where it does not accept the certificate of Tallyman for another reason', async () => {
    await using site = await siteOf(engineThatRefuses(), {})
    expect(await site.call()).to.deep.equal({
      code: 'engine-denied',
      message: "store-1: the engine does not accept Tallyman's certificate: bad certificate",
      hint: 'Check that the "cert" under "tls" of the site is signed by the authority that the engine trusts, which dockerd is given as "tlscacert".',
    })
  })

  it('G13 is told to be the one whose certificate is not accepted, until the right authority is named', async () => {
    await using site = await siteOf(await engineBehindTls(), { ...expired, 'ca.pem': 'second-ca.pem' })
    expect(await site.call()).to.deep.equal({
      code: 'engine-denied',
      message:
        "store-1: the engine's certificate is not accepted: self-signed certificate in certificate chain",
      hint: 'Check that the "ca" under "tls" of the site is the authority that signed the certificate of the engine, and that this certificate is for the host of the endpoint and has not expired.',
    })
    await site.put({ ...good, 'ca.pem': 'first-ca.pem' })
    expect(await site.call()).to.equal('answered')
  })

  it('G13 is not asked with a key that does not belong to the certificate, until they belong together', async () => {
    await using site = await siteOf(await engineBehindTls(), { 'key.pem': 'second-client.key' })
    expect(await site.call()).to.deep.equal({
      code: 'engine-denied',
      message: 'store-1: the files for TLS cannot be used: key values mismatch',
      hint: 'Check that the files under "tls" of the site are PEM files, and that the "key" belongs to the "cert".',
    })
    await site.put(good)
    expect(await site.call()).to.equal('answered')
  })

  it('G13 is told not to speak TLS where it answers without, and so is nobody who does not listen', async () => {
    const plain = serverOf(Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'))
    await using site = await siteOf(plain, expired)
    expect(await site.call()).to.deep.include({
      code: 'engine-unreachable',
      message: 'store-1: TLS to the engine fails: wrong version number',
    })
    await close(plain)
    expect(await site.call()).to.deep.include({
      code: 'engine-unreachable',
      message: `store-1: connect ECONNREFUSED ${site.address}`,
    })
  })
})
