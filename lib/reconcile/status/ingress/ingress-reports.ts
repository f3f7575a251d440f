import type { IngressStatus } from './ingress-status.ts'

/** The last reports of the ingresses of an environment. */
export type IngressReports = {
  /** Returns those that were asked for at most that long ago, on the steady clock. */
  since(steadyMs: number, keptMs: number): Promise<readonly IngressStatus[]> | undefined
  keep(steadyMs: number, reports: Promise<readonly IngressStatus[]>): void
  /** Something changed: they are asked for anew. */
  forget(): void
}

/** Creates the memory of ingresses that were not asked yet. */
export function createIngressReports(): IngressReports {
  let last: { readonly askedMs: number; readonly reports: Promise<readonly IngressStatus[]> } | undefined
  return {
    since: (steadyMs, keptMs) =>
      last !== undefined && steadyMs - last.askedMs < keptMs ? last.reports : undefined,
    keep(askedMs, reports) {
      last = { askedMs, reports }
    },
    forget() {
      last = undefined
    },
  }
}
