import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { certificatesFor } from '../../../../lib/ingress/configuration/certificates.ts'
import { certificateStatus } from '../../../../lib/reconcile/status/ingress/certificates.ts'
import type { Route } from '../../../../lib/state/application/ingress/route.ts'
import { Secret } from '../../../../lib/state/secret/secret.ts'
import { growth, mostInProportion } from '../../../support/measure/growth.ts'
import { settings } from '../../../unit/ingress/parts.ts'

const certificate = new X509Certificate(
  readFileSync(new URL('../../../../fixtures/ingress/ninety-days.pem', import.meta.url)),
)

function routes(count: number, tls: Route['tls']): readonly Route[] {
  return Array.from({ length: count }, (_, index) => ({
    ...{ application: 'shop', service: 'web', host: `h${index}.example.com`, path: '/' },
    ...{ alias: 'web', port: 80, tls, holdMs: 0 },
  }))
}

describe('the certificates of very many hosts', () => {
  for (const [whose, isInternal, tls] of [
    ['of an authority', false, 'auto'],
    ['of the ingress itself', true, 'internal'],
  ] as const)
    it(`G24 ${whose} are each looked at once, and not for each host`, async () => {
      const told = (count: number) => {
        const obtained = Array.from({ length: count }, () => ({ isInternal, certificate }))
        return certificateStatus(routes(count, tls), { own: [], obtained }, 0)
      }
      expect(await growth(told, 100)).to.be.below(mostInProportion)
    })

  it('G24 of the operator are each looked at once, and not for each host', async () => {
    const told = (count: number) =>
      certificateStatus(routes(count, 'auto'), { own: Array(count).fill(certificate), obtained: [] }, 0)
    expect(await growth(told, 100)).to.be.below(mostInProportion)
  })

  it('G24 of the operator are each given to the ingress without a search for each host', async () => {
    const given = (count: number) => {
      const certificates = Array.from({ length: count }, (_, index) => ({
        ...{ chain: 'chain', key: new Secret('key', 'mark') },
        names: [`h${index}.example.net`],
      }))
      return certificatesFor(routes(count, 'auto'), settings({ certificates }))
    }
    expect(await growth(given, 300)).to.be.below(mostInProportion)
  })
})
