import { once } from 'node:events'
import { connect } from 'node:http2'
import { expect } from 'chai'
import { ingressName } from '../../../lib/state/application/ingress/route.ts'
import { Secret } from '../../../lib/state/secret/secret.ts'
import { waitUntil } from '../../support/time/wait-until.ts'
import { health } from './health.ts'
import { describeEach, fixtureText, type Stand, stand } from './stand.ts'

describeEach('HTTPS', caddy => {
  let at: Stand
  let own: string

  before(async () => {
    own = await fixtureText('own.pem')
    const key = new Secret(await fixtureText('own.key'), 'mark')
    at = await stand(
      caddy,
      { web: 1, nobody: 0 },
      [
        { service: 'web', host: 'own.example.com', tls: 'auto' },
        { service: 'web', host: 'a.wild.example.com', tls: 'auto' },
        { service: 'web', host: 'inside.example.com', tls: 'internal' },
        { service: 'web', host: 'both.example.com', tls: 'internal', alsoPlain: true },
        { service: 'web', host: 'plain.example.com' },
        { service: 'web', host: '*.other-wild.example.com' },
        { service: 'nobody', host: 'nobody.example.com' },
      ],
      {
        trustedProxies: ['0.0.0.0/0'],
        certificates: [{ chain: own, key, names: ['own.example.com', '*.wild.example.com'] }],
      },
    )
    const answers = async (host: string) => at.https(`${host}/`, await at.ownAuthority())
    for (const host of ['inside.example.com', 'both.example.com'])
      await waitUntil(`${host} has its certificate`, () => answers(host).catch(() => undefined))
  })

  // There is none where that Caddy cannot be had.
  after(() => at?.[Symbol.asyncDispose]())

  health(() => at)

  it('P33 has the certificate of the operator, which Caddy asks nobody for', async () => {
    for (const host of ['own.example.com', 'a.wild.example.com']) {
      const { headers } = JSON.parse((await at.https(`${host}/`, own)).body)
      expect([headers.host, headers['x-forwarded-proto']]).to.deep.equal([host, 'https'])
    }
    const [container = ''] = await names(at)
    const log = await at.site.log(container)
    expect(log).to.match(/obtaining certificate.*inside\.example/)
    expect(log).not.to.match(/obtaining certificate.*(own|wild)\.example/)
  })

  it('P33 has a certificate of its own authority where that is asked for', async () => {
    const { body } = await at.https('inside.example.com/a?b', await at.ownAuthority())
    expect(JSON.parse(body).url).to.equal('/a?b')
  })

  it('P33 speaks HTTP/2, and answers one host on a connection: of another it has nothing, or sends the user anew', async () => {
    await using session = await sessionWith(at.ports.https, 'own.example.com', own)
    const statusOf = (host: string) => session.statusOf(host)
    expect(await statusOf('own.example.com')).to.equal(200)
    expect(await statusOf('a.wild.example.com')).to.equal(421)
    expect(await statusOf('b.wild.example.com')).to.equal(404)
  })

  it('P33 is where HTTP sends users, under the port that is published', async () => {
    const { status, headers } = await at.http('inside.example.com/a?b')
    expect([status, headers.location]).to.deep.equal([
      308,
      `https://inside.example.com:${at.ports.https}/a?b`,
    ])
  })

  it('P33 leaves HTTP alone where a route says so', async () => {
    expect((await at.http('both.example.com/')).status).to.equal(200)
    expect((await at.https('both.example.com/', await at.ownAuthority())).status).to.equal(200)
  })

  it('P33 shows nothing of a host without it, nor of one that is not there', async () => {
    for (const host of ['plain.example.com', 'other.example.com']) {
      const failed = await at.https(`${host}/`, own).catch((error: Error) => error.message)
      expect(failed, host).to.match(/alert/)
    }
  })

  it('P35 believes what a trusted proxy says of its own client', async () => {
    const { body } = await at.http('plain.example.com/', {
      headers: { 'x-forwarded-for': '198.51.100.7', 'x-forwarded-proto': 'https' },
    })
    const { headers } = JSON.parse(body)
    expect(headers['x-forwarded-for']).to.match(/^198\.51\.100\.7, /)
    expect(headers['x-forwarded-proto']).to.equal('https')
  })

  it('G16 leaves the key out of what the engine shows of the ingress', async () => {
    const [container = ''] = await names(at)
    const shown =
      JSON.stringify(await at.site.ask(`/containers/${container}/json`)) + (await at.site.log(container))
    expect(shown).not.to.include('PRIVATE KEY')
  })
})

async function names({ site }: Stand): Promise<readonly string[]> {
  const { containers } = await site.engine.observe(site.provenance, site.signal)
  return containers.filter(({ service }) => service === ingressName).map(({ engineName }) => engineName)
}

/** A connection over HTTP/2 that was made for a host. */
async function sessionWith(port: number, host: string, ca: string) {
  const session = connect(`https://127.0.0.1:${port}`, { servername: host, ca })
  await once(session, 'connect')
  return {
    async statusOf(authority: string): Promise<unknown> {
      const stream = session.request({ ':authority': authority, ':path': '/' })
      const [headers] = await once(stream, 'response')
      stream.resume()
      return headers[':status']
    },
    async [Symbol.asyncDispose]() {
      session.destroy()
    },
  }
}
