import type { DeploymentTurn } from '../../../../../lib/reconcile/fleet/turns.ts'

/** A run that has drawn both of its sites, none of which has its version yet. */
export const turn: DeploymentTurn & Required<Pick<DeploymentTurn, 'run'>> = {
  deployment: {
    name: 'shop-everywhere',
    application: 'shop',
    placement: { kind: 'all-sites' },
    healthyMs: 0,
    revision: 'r1',
  },
  sites: new Set(['a', 'b']),
  run: {
    of: {
      ...{ id: 1, environment: 'prod', deployment: 'shop-everywhere', application: 'shop' },
      ...{ version: '2', content: 'c2', seed: 7, atMs: 0 },
    },
    stand: {
      open: new Set(['a', 'b']),
      reached: new Set(),
      had: new Set(),
      lost: new Set(),
      begun: new Set(),
      own: new Set(),
      recheck: new Map(),
      brokenMs: new Map(),
      ended: new Map(),
      hindered: new Map(),
      proving: new Map(),
      batches: [{ kind: 'batch', atMs: 0, sites: ['a', 'b'] }],
      wait: { for: 'sites', sites: ['a', 'b'], sinceMs: 0 },
    },
  },
}
