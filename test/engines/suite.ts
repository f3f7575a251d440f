/** What is run on each engine, the most telling first: what is behind may be left out for want of time. */
export const suite: readonly string[] = [
  'test/e2e/digest.test.ts',
  'test/integration/docker/**/*.test.ts',
  'test/integration/registry/pin.test.ts',
  'test/e2e/image/daemon.test.ts',
  'test/e2e/deploy.test.ts',
  'test/e2e/old-images.test.ts',
  'test/e2e/ingress.test.ts',
  'test/e2e/pallet.test.ts',
  'test/e2e/hooks.test.ts',
  'test/e2e/rollout.test.ts',
  'test/e2e/pod.test.ts',
  'test/swarm/of-one-apart/shared.test.ts',
  'test/swarm/of-one-apart/jobs.test.ts',
]
