import { expect } from 'chai'
import { ingressName } from '../../../lib/state/application/ingress/route.ts'
import { type Caddy, pushCaddy } from '../../support/images/caddy.ts'
import { authorityAs, type Challenge, rootOf } from '../../support/network/authority.ts'
import { waitUntil } from '../../support/time/wait-until.ts'
import type { TestSite } from '../docker/site.ts'
import { describeEach, type Stand, stand } from './stand.ts'

const challenges = { older: [undefined], newer: ['http-01', 'tls-alpn-01'] } as const

describeEach('an authority of the operator', caddy => {
  for (const challenge of challenges[caddy])
    it(`P33 signs the certificate of a host after it found it at the ingress${challenge ? `, by ${challenge}` : ''}`, async () => {
      let root = ''
      await using at = await stand(caddy, { web: 1 }, [], async site => {
        const acme = await startAuthority(site, caddy, challenge)
        root = acme.root
        return { acme }
      })
      const host = nameIn(at.site)
      await at.change([{ service: 'web', host, tls: 'auto' }])

      const answer = await waitUntil('there is a certificate', () =>
        at.https(`${host}/`, root).catch(() => undefined),
      )
      expect(JSON.parse(answer.body)).to.include({ name: 'web', url: '/' })
      expect(await obtained(at)).to.deep.equal([{ isInternal: false }])
    })
})

/** The certificates that the ingress says it has. */
async function obtained({ site }: Stand): Promise<readonly object[]> {
  const report = await site.engine.ingress(site.provenance, site.signal)
  return (report?.obtained ?? []).map(({ isInternal }) => ({ isInternal }))
}

/** What the ingress is called on its network, which is the engine's own name for it: nobody has to be told. */
function nameIn(site: TestSite): string {
  return `${ingressName}.${networkOf(site)}`
}

function networkOf({ provenance }: TestSite): string {
  return `${provenance.environment}.${ingressName}`
}

/** Another Caddy, on the network of the ingress; told with the root that vouches for it. */
async function startAuthority(
  site: TestSite,
  caddy: Caddy,
  challenge: Challenge | undefined,
): Promise<{ readonly directory: string; readonly root: string }> {
  const { environment } = site.provenance
  const [name, container, network] = ['authority.internal', `${environment}.authority`, networkOf(site)]
  const image = await pushCaddy(site.registry, `${environment}-authority`, '2', caddy)
  await site.run(
    { do: 'pull-image', reference: image.reference, digest: image.digest },
    { do: 'create-network', network: { name: network, application: ingressName } },
  )
  await site.foreign(`/containers/create?name=${container}`, {
    Image: image.pinned,
    // No plan is about it, and it is gone with the environment.
    Labels: { 'tallyman.environment': environment },
    ...authorityAs(name, challenge),
    NetworkingConfig: { EndpointsConfig: { [network]: { Aliases: [name] } } },
  })
  await site.foreign(`/containers/${container}/start`, {})
  const root = await rootOf(site.socket, container)
  return { directory: `https://${name}/acme/local/directory`, root }
}
