import { expect } from 'chai'
import type { Stand } from './stand.ts'

/** Tests on a stand on which `web` has hosts with and without HTTPS, and nobody answers for `nobody.example.com`. */
export function health(stand: () => Stand): void {
  describe('what load balancers ask', () => {
    it('P12 is answered for each host: 200 while an instance takes requests, 503 while none does', async () => {
      const statuses = ['inside', 'a.other-wild', 'nobody', 'other'].map(
        async name => (await stand().health(`/healthz/${name}.example.com`)).status,
      )
      expect(await Promise.all(statuses)).to.deep.equal([200, 200, 503, 404])
    })

    it('P12 is answered for the host that is named in Host, too', async () => {
      expect((await stand().health('/healthz', 'inside.example.com')).status).to.equal(200)
      expect((await stand().health('/healthz', 'nobody.example.com')).status).to.equal(503)
    })

    it('P12 is 503 for all while the site is drained', async () => {
      const { engine, provenance, signal } = stand().site
      await engine.setDraining(provenance, true, signal)
      const drained = await stand().health('/healthz/inside.example.com')
      await engine.setDraining(provenance, false, signal)
      const back = await stand().health('/healthz/inside.example.com')
      expect([drained.status, back.status]).to.deep.equal([503, 200])
    })
  })
}
