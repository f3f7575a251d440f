import type { Position } from '../errors.ts'

/** What a manifest says of one service: run it at this version with these images. */
export type ServiceEntry = {
  readonly name: string
  /** A semantic version, reserved for what others require (D6). */
  readonly version?: string
  readonly containers?: readonly ContainerEntry[]
  readonly position: Position
}

/** One image of it; without `dockerName` the service's own name is meant (E3). */
export type ContainerEntry = {
  readonly dockerName?: string
  readonly dockerTag: string
  readonly dockerDigest?: string
  readonly position: Position
}
