import type { Workload } from './workload.ts'

/** Something that can bring a workload about; disposing of it removes everything it made. */
export type Subject = AsyncDisposable & {
  /** Makes exactly this run; how long that took, in milliseconds. */
  bring(workload: Workload): Promise<number>
  /** Looks at what runs already, finds nothing to do; how long that took, in milliseconds. */
  look(workload: Workload): Promise<number>
}
