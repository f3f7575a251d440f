import type { Container } from './container.ts'

/** What can be changed on a container while it runs, of what we set. Fields as in its specification. */
export type Limits = Pick<
  Container,
  | 'restart'
  | 'memoryBytes'
  | 'memoryReservationBytes'
  | 'memorySwapBytes'
  | 'nanoCpus'
  | 'cpuset'
  | 'cpuShares'
  | 'pidsLimit'
>

/** What the engine holds a container to, and by which names others reach it. */
export type Settings = {
  /** Without what the engine does not limit. */
  readonly limits: Limits
  /** By network; what the engine adds by itself is left out. */
  readonly aliases: Readonly<Record<string, readonly string[]>>
}
