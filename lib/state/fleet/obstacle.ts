import type { ErrorCode } from '../../errors/catalogue.ts'

/** Why a deployment is not carried out as it is written, whatever was begun before (D15). */
export type Obstacle = {
  /** The name of the deployment. */
  readonly deployment: string
  readonly application: string
  /** The version that it would bring to its sites; absent: that is not known. */
  readonly version?: string
  readonly code: ErrorCode
  /** The problem in words, with its place in a file if it has one. */
  readonly reason: string
  readonly hint: string
  /** Since when it is so. */
  readonly atMs: number
}
