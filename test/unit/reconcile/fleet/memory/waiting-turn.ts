import type { Stand } from '../../../../../lib/fleet/spread/stand.ts'
import type { DeploymentTurn } from '../../../../../lib/reconcile/fleet/turns.ts'

/** A deployment of version 2 of `shop` to `a` and `b`, which waits for them in this way. */
export function waitingFor(wait: Stand['wait']): DeploymentTurn & Required<Pick<DeploymentTurn, 'run'>> {
  const deployment = {
    ...{ name: 'everywhere', application: 'shop', placement: { kind: 'all-sites' } as const },
    ...{ healthyMs: 0, revision: 'r1' },
  }
  const of = {
    ...{ id: 1, environment: 'prod', deployment: 'everywhere', application: 'shop' },
    ...{ version: '2', content: 'c2', seed: 7, atMs: 0 },
  }
  const stand = {
    ...{
      open: new Set(['a', 'b']),
      reached: new Set<string>(),
      recheck: new Map(),
      brokenMs: new Map(),
      proving: new Map(),
    },
    ...{
      had: new Set<string>(),
      lost: new Set<string>(),
      begun: new Set<string>(),
      own: new Set<string>(),
      ended: new Map(),
      hindered: new Map(),
      batches: [],
      wait,
    },
  }
  return { deployment, sites: new Set(['a', 'b']), run: { of, stand } }
}
