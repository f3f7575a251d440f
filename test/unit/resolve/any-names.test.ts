import { expect } from 'chai'
import { messageOf } from '../../../lib/errors.ts'
import { describeStep } from '../../../lib/plan/step/describe.ts'
import { resolve } from '../../../lib/resolve.ts'
import type { DesiredState } from '../../../lib/state/application/desired.ts'
import { isGate } from '../../../lib/state/application/ingress/route.ts'
import { mapContainers } from '../../../lib/state/application/members.ts'
import { overlayName } from '../../../lib/state/application/network.ts'
import { wantedNetworks } from '../../../lib/state/application/wanted-networks.ts'
import { digest } from '../../support/builders/builders.ts'
import { courseOf, planOf } from '../../support/builders/planning.ts'
import { snapshotOf } from '../../support/builders/snapshot.ts'
import { carryOut, siteWith } from '../../support/memory/carry-out.ts'
import { liveOf } from '../../support/memory/simulated-site.ts'
import { context } from './resolve-prod.ts'

/** What Tallyman adds to names, or reads from them. */
const words = [
  'container',
  'data',
  'default',
  'gate',
  'ingress',
  'kept-0a1b2c',
  'metadata',
  'outbound',
  'own',
  'published',
  'routes-0123abcd',
  'sandbox',
  'shared',
  'static',
  'tallyman-ingress',
  'tallyman-metadata',
]

/** What is wanted of one application; a text if the name is refused. */
async function wanted(environment: string, application: string, service: string, more = '') {
  const directory = `environments/${environment}`
  const files = {
    [`${directory}/manifest.json`]: JSON.stringify({ services: [{ name: application }] }),
    [`applications/${application}.yaml`]: `name: ${application}
services:
  - name: ${service}
    containers: [{name: app, image: "app:1"}]
${more}`,
  }
  try {
    const ingress = { pool: '10.201.0.0/16', holdMs: 5_000 }
    const place = { name: environment, directory }
    const state = await resolve(snapshotOf(files), place, { ...context, ingress })
    return state.blocked[0]?.problems[0].message ?? pinned(state)
  } catch (error) {
    return messageOf(error)
  }
}

function pinned(state: DesiredState): DesiredState {
  const pin = { state: 'pinned', digest: digest('1') } as const
  const applications = state.applications.map(one =>
    mapContainers(one, container => ({ ...container, image: { ...container.image, pin } })),
  )
  return { ...state, applications }
}

/** What each of two passes changes after everything was applied. */
function changesAfterwards(state: DesiredState): readonly string[] {
  const networks = wantedNetworks(state).map(({ name }) => name)
  let site = siteWith(state)
  return [1, 2].flatMap(() => {
    const { changes } = planOf({ desired: state, live: liveOf(site), applied: state, networks })
    site = carryOut(site, changes.flatMap(courseOf)).site
    return changes.flatMap(courseOf).flat().map(describeStep)
  })
}

/** What of a desired state is taken for something else. */
function mistaken(state: DesiredState | string): readonly string[] {
  if (typeof state === 'string') return []
  const strange = wantedNetworks(state).filter(
    ({ name, mode }) => mode !== 'gate' && (isGate(name) || isGate(overlayName(name, state.environment))),
  )
  return [...strange.map(({ name }) => `gate ${name}`), ...changesAfterwards(state)]
}

const route = '    ingress: [{host: shop.example, port: 80}]\n'

describe('names of a repository like those that Tallyman reads', () => {
  for (const word of words)
    it(`G2 P12 is refused, or applied and left alone: an application or service ${word}`, async () => {
      for (const more of ['', route, 'network: {shared-application-network: shared}\n']) {
        expect(mistaken(await wanted('prod', word, 'web', more))).to.deep.equal([])
        expect(mistaken(await wanted('prod', 'shop', word, more))).to.deep.equal([])
      }
    })

  for (const word of words)
    it(`G2 P12 is refused, or applied and left alone: an environment with ${word} in its name`, async () => {
      for (const name of [word, `shop.${word}`, `shop__${word}`, `shop._${word}`, `shop_${word}_`])
        expect(mistaken(await wanted(name, 'web', 'web')), name).to.deep.equal([])
    })

  it('P12 has a network of its own for an application called ingress', async () => {
    const state = await wanted('prod', 'ingress', 'web')
    expect(typeof state === 'string' ? state : wantedNetworks(state).map(({ name }) => name)).to.deep.equal([
      'prod.ingress.own',
    ])
  })
})
