import type { Position } from '../errors.ts'

/** What a manifest says of one service (E3). */
export type ManifestService = {
  readonly name: string
  /** A semantic version, reserved for what others require (D6, E27). */
  readonly version?: string
  readonly containers?: readonly ManifestContainer[]
  readonly position: Position
}

/** One instance of a service; without `dockerName` its image has the name of the service. */
export type ManifestContainer = {
  readonly dockerName?: string
  readonly dockerTag: string
  readonly dockerDigest?: string
  readonly position: Position
}
