import type { Container, RestartPolicy } from '../../../state/application/container/container.ts'
import type { Limits } from '../../../state/running/settings.ts'
import { cpusText, memoryText } from '../field/limit-text.ts'

/** A setting that somebody changed on a running container, in words: `memory` from `64 MiB` to `32 MiB`. */
export type Alteration = { readonly what: string; readonly from: string; readonly to: string }

/**
 * Returns the settings in which a container on the engine differs from its specification. Only what the specification
 * sets is compared (G2). A limit that the engine does not report is no alteration: the engine may be unable to keep it,
 * and an update could only set another limit.
 */
export function alterationsOf(spec: Container, now: Limits): readonly Alteration[] {
  return [
    differing('memory', spec.memoryBytes, now.memoryBytes, memoryText),
    differing('memory reservation', spec.memoryReservationBytes, now.memoryReservationBytes, memoryText),
    differing('memory and swap', spec.memorySwapBytes, now.memorySwapBytes, memoryText),
    differing('cpus', spec.nanoCpus, now.nanoCpus, cpusText),
    differing('cpuset', spec.cpuset, now.cpuset, String),
    differing('cpu shares', spec.cpuShares, now.cpuShares, String),
    differing('pids limit', spec.pidsLimit, now.pidsLimit, String),
    differing('restart policy', policyOf(spec.restart), policyOf(now.restart), String),
  ].flatMap(one => one ?? [])
}

/** Returns the limits with which an update undoes alterations. */
export function limitsOf(spec: Container): Limits {
  const { restart, memoryBytes, memoryReservationBytes, memorySwapBytes } = spec
  const { nanoCpus, cpuset, cpuShares, pidsLimit } = spec
  return {
    restart,
    ...(memoryBytes === undefined ? {} : { memoryBytes }),
    ...(memoryReservationBytes === undefined ? {} : { memoryReservationBytes }),
    ...(memorySwapBytes === undefined ? {} : { memorySwapBytes }),
    ...(nanoCpus === undefined ? {} : { nanoCpus }),
    ...(cpuset === undefined ? {} : { cpuset }),
    ...(cpuShares === undefined ? {} : { cpuShares }),
    ...(pidsLimit === undefined ? {} : { pidsLimit }),
  }
}

function differing<T>(
  what: string,
  set: T | undefined,
  now: T | undefined,
  inWords: (value: T) => string,
): Alteration | undefined {
  if (set === undefined || now === undefined || set === now) return undefined
  return { what, from: inWords(set), to: inWords(now) }
}

function policyOf({ name, maxRetries = 0 }: RestartPolicy): string {
  return maxRetries > 0 ? `${name}:${maxRetries}` : name
}
