/** What is run on each engine, the most telling first: what is behind may be left out for want of time. */
export const suite: readonly string[] = [
  'test/e2e/daemon/digest.test.ts',
  'test/integration/docker/**/*.test.ts',
  'test/integration/registry/pin.test.ts',
  'test/e2e/image/daemon.test.ts',
  'test/e2e/release/deploy.test.ts',
  'test/e2e/release/old-images.test.ts',
  'test/e2e/ingress/under-load.test.ts',
  'test/e2e/release/pallet.test.ts',
  'test/e2e/release/hooks.test.ts',
  'test/e2e/release/rollout.test.ts',
  'test/e2e/release/pod.test.ts',
  'test/swarm/of-one-apart/shared.test.ts',
  'test/swarm/of-one-apart/jobs.test.ts',
]
