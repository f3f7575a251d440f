import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import {
  type Certificates,
  certificateStatus,
} from '../../../../../lib/reconcile/status/ingress/certificates.ts'
import type { Route } from '../../../../../lib/state/application/ingress/route.ts'

/** Each is for `shop.example.com`, `year` for `example.com` and `*.example.com`, and begins with the year 2026. */
const pem = (name: string) =>
  new X509Certificate(readFileSync(new URL(`../../../../../fixtures/ingress/${name}.pem`, import.meta.url)))
const [halfDay, ninetyDays, year] = ['half-day', 'ninety-days', 'year'].map(pem) as [
  X509Certificate,
  X509Certificate,
  X509Certificate,
]
const internal = { isInternal: true, certificate: halfDay }
const public_ = { isInternal: false, certificate: ninetyDays }

const route = (host: string, tls: Route['tls'] = 'auto'): Route => {
  return { application: 'shop', service: 'web', host, path: '/', alias: 'web', port: 80, tls, holdMs: 0 }
}

/** `shop.example.com valid 2026-04-01 by Public Authority` */
function told(
  routes: readonly Route[],
  { own = [], obtained = [] }: Partial<Certificates>,
  at = '2026-01-01T06:00:00Z',
): readonly string[] {
  return certificateStatus(routes, { own, obtained }, Date.parse(at)).map(certificate => {
    const names = certificate.names.join(' ')
    if (!('expiresMs' in certificate)) return `${names} ${certificate.state}`
    const { state, issuer, expiresMs } = certificate
    return `${names} ${state} ${new Date(expiresMs).toISOString().slice(0, 10)} by ${issuer}`
  })
}

describe('the certificates of routes', () => {
  it('G13 are told with who signed them and when they expire', () => {
    expect(told([route('shop.example.com')], { obtained: [public_] })).to.deep.equal([
      'shop.example.com valid 2026-04-01 by Public Authority',
    ])
  })

  it('G13 are those of the kind that the route names', () => {
    const obtained = [internal, public_]
    expect(told([route('shop.example.com', 'internal')], { obtained })).to.deep.equal([
      'shop.example.com valid 2026-01-01 by Own Authority',
    ])
    expect(told([route('shop.example.com', 'auto')], { obtained })).to.deep.equal([
      'shop.example.com valid 2026-04-01 by Public Authority',
    ])
  })

  it('G13 are told once for a host that has routes of both kinds', () => {
    const both = [route('shop.example.com', 'internal'), route('shop.example.com', 'auto')]
    expect(told(both, { obtained: [internal, public_] })).to.deep.equal([
      'shop.example.com valid 2026-01-01 by Own Authority',
    ])
  })

  it("G13 are the operator's where one of them names the host, each told once", () => {
    const routes = [route('shop.example.com'), route('www.example.com'), route('example.com')]
    expect(told(routes, { own: [year], obtained: [public_] })).to.deep.equal([
      'example.com *.example.com valid 2027-01-01 by Public Authority',
    ])
  })

  it('G13 are missing where there is none yet', () => {
    expect(
      told([route('shop.example.com'), route('new.example.com')], { obtained: [public_] }),
    ).to.deep.equal(['new.example.com missing', 'shop.example.com valid 2026-04-01 by Public Authority'])
  })

  it('D15 are not known where a file of the operator cannot be read, unless another one names the host', () => {
    const routes = [
      route('www.example.com'),
      route('shop.example.com'),
      route('new.example.net'),
      route('inside.example.net', 'internal'),
    ]
    expect(told(routes, { own: [undefined, year], obtained: [public_] })).to.deep.equal([
      'example.com *.example.com valid 2027-01-01 by Public Authority',
      'inside.example.net missing',
      'new.example.net unknown',
    ])
  })

  it('G13 are no concern where no route needs them', () => {
    const certificates = { own: [year], obtained: [public_, internal] }
    expect(told([route('other.example.net', 'off')], certificates)).to.deep.equal([])
  })

  for (const [at, state] of [
    ['2026-03-17T00:00:00Z', 'valid'],
    ['2026-03-19T00:00:00Z', 'due'],
    ['2026-03-31T23:59:59Z', 'due'],
    ['2026-04-01T00:00:00Z', 'expired'],
  ] as const)
    it(`G13 that expire on 1 April are ${state} at ${at}: 14 days before somebody should have renewed them`, () => {
      expect(told([route('shop.example.com')], { obtained: [public_] }, at)).to.deep.equal([
        `shop.example.com ${state} 2026-04-01 by Public Authority`,
      ])
    })

  for (const [at, state] of [
    ['2026-01-01T08:59:00Z', 'valid'],
    ['2026-01-01T09:01:00Z', 'due'],
  ] as const)
    it(`G13 that last for twelve hours are ${state} at ${at}: a quarter of their time is left`, () => {
      const routes = [route('shop.example.com', 'internal')]
      expect(told(routes, { obtained: [internal] }, at)).to.deep.equal([
        `shop.example.com ${state} 2026-01-01 by Own Authority`,
      ])
    })
})
