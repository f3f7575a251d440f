import type { AdvanceInput } from '../../../lib/reconcile/fleet/advance.ts'

/** What the advance of a deployment goes by where all sites are ready and none has got anything yet. */
export const nothingBegun = {
  environment: 'prod',
  isHeld: false,
  placement: undefined,
  run: undefined,
  facts: [],
  isReady: () => true,
  isSilent: () => false,
  hasBegun: () => false,
  moves: true,
  hasIt: () => false,
  hasVersion: () => false,
  mayRun: () => false,
  seed: 7,
} as const satisfies Partial<AdvanceInput>
