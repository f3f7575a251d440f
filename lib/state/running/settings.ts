import type { Container } from '../application/container/container.ts'

/** The settings that can be changed on a running container. The fields are those of its specification. */
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

/** The limits of a container on the engine, and the names by which others reach it. */
export type Settings = {
  /** Without limits that the engine does not have. */
  readonly limits: Limits
  /** By network, without the names that the engine adds by itself. */
  readonly aliases: Readonly<Record<string, readonly string[]>>
}
