import { expect } from 'chai'
import { contestedProblems } from '../../../lib/spec/claims/contested.ts'
import { whereaboutsOf } from '../../../lib/spec/claims/whereabouts.ts'
import { type Claim, hostPort } from '../../../lib/state/application/claim.ts'
import type { Deployment } from '../../../lib/state/fleet/deployment.ts'
import { labelsOf } from '../../../lib/state/fleet/labels.ts'
import { growth } from '../../support/measure/growth.ts'

const here = new Map(
  Array.from({ length: 1_000 }, (_, n) => [`s${n}`, labelsOf([['system/name', `s${n}`]])] as const),
)

/** A deployment for one site. */
function deployment(name: string, site: string): Deployment {
  const expression = { kind: 'equal', label: 'system/name', value: site } as const
  const placement = { kind: 'match-site-labels', expression, text: `system/name = ${site}` } as const
  return { name, application: name, placement, healthyMs: 0, revision: name }
}

/** So many applications that claim the same, each on a site of its own, but for the last one, which is on that of the first. */
function told(count: number): readonly string[] {
  const names = Array.from({ length: count }, (_, n) => `a${n}`)
  const deployments = names.map((name, n) => deployment(name, n === count - 1 ? 's0' : `s${n}`))
  const { of, ...judged } = whereaboutsOf(deployments, { here })
  const port = hostPort({ published: 8080, protocol: 'tcp' })
  const claims: readonly Claim[] = [
    ...(port === undefined ? [] : [port]),
    { of: 'certificate', host: 'shop.example', tls: 'auto', isWhole: true },
    ...Array.from({ length: 20 }, (_, n) => ({ of: 'name', network: 'shared', name: `n${n}` }) as const),
  ]
  const claimants = names.map(name => ({
    name,
    claims: claims.map((claim, n) => ({
      ...{ claim, service: name },
      place: { pointer: `/${n}`, position: () => ({ file: name }) },
    })),
    sites: () => of(name),
  }))
  return [...contestedProblems(claimants, [], judged).values()].flat().map(({ message }) => message)
}

describe('what very many applications claim on very many sites', () => {
  it('D19 G24 is compared only where they meet', async () => {
    expect(told(100)[0]).to.equal('a99 claims host port 8080, which a0 (a0) claims on s0, too')
    expect(told(100)).to.have.length(21)
    expect(await growth(told, 100)).to.be.below(40)
  })
})
