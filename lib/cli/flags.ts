import type { Flags } from '../config.ts'

/** The flags every command takes. */
export type CommonFlags = Flags & {
  readonly output?: string
  readonly color?: boolean
  readonly server?: string
}
