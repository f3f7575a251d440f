import type { Position } from '../../errors.ts'

/** What a manifest says about one service: its version and its images. */
export type ServiceEntry = {
  readonly name: string
  /** A semantic version, only for the requirements of other services (D6). */
  readonly version?: string
  readonly containers?: readonly ContainerEntry[]
  readonly position: Position
}

/** One image. Without `dockerName` it has the name of the service (E3). */
export type ContainerEntry = {
  readonly dockerName?: string
  readonly dockerTag: string
  readonly dockerDigest?: string
  readonly position: Position
}
