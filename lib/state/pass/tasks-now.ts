import type { NodeOfTasks } from '../running/live.ts'

/** The tasks of a service of a Swarm as they are while a step waits for them. */
export type TasksNow = {
  readonly wanted: number
  /** Those that run as it is specified now. */
  readonly running: number
  /** Those of an earlier specification that go on. */
  readonly earlier: number
  /** The nodes on which they all run, in the order of their names. */
  readonly nodes: readonly NodeOfTasks[]
}

/** The same with the service that they are of. */
export type TasksOfService = TasksNow & {
  readonly site: string
  readonly application: string
  readonly service: string
}
