import { expect } from 'chai'
import { siteCertificates } from '../../../../../lib/reconcile/status/ingress/site-certificates.ts'

const file = (name: string) => new URL(`../../../../../fixtures/${name}`, import.meta.url).pathname
const dayMs = 86_400_000

describe('the certificates that engines are reached with', () => {
  const tls = { ca: file('tls/first-ca.pem'), cert: file('ingress/year.pem') }
  const engines = [{ site: 'local' }, { site: 'store-1', tls }]

  it('G13 are told with when they end, ours and that of the authority of each engine behind TLS', async () => {
    const [ours, authority, ...others] = await siteCertificates(engines, Date.now())
    expect(others).to.deep.equal([])
    expect(ours).to.deep.include({ site: 'store-1', role: 'ours' })
    expect(authority).to.deep.include({ site: 'store-1', role: 'authority' })
    expect(authority?.certificate).to.include({ state: 'valid', issuer: 'The first authority of a test' })
    const { certificate } = ours ?? {}
    const expiresMs = certificate !== undefined && 'expiresMs' in certificate ? certificate.expiresMs : 0
    const stateAt = async (nowMs: number) => (await siteCertificates(engines, nowMs))[0]?.certificate.state
    expect(await stateAt(expiresMs - 15 * dayMs)).to.equal('valid')
    expect(await stateAt(expiresMs - 13 * dayMs)).to.equal('due')
    expect(await stateAt(expiresMs)).to.equal('expired')
  })

  it('G13 are not known while their files cannot be read', async () => {
    const gone = [{ site: 'store-1', tls: { ca: '/nowhere/ca.pem', cert: file('tls/first-client.key') } }]
    const states = (await siteCertificates(gone, 0)).map(({ certificate }) => certificate.state)
    expect(states).to.deep.equal(['unknown', 'unknown'])
  })
})
