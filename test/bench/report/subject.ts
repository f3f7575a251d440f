import type { Workload } from './workload.ts'

/** Something that can bring a workload about; disposing of it removes everything it made. */
export type Subject = AsyncDisposable & {
  /** Makes exactly this run; how long that took, in milliseconds. */
  bring(workload: Workload): Promise<number>
  /** Looks at what runs already, finds nothing to do; how long that took, in milliseconds. */
  look(workload: Workload): Promise<number>
}

/**
 * Looks so many times at what runs already. `lookUp`: how long a git server takes each time for what the subject asks it
 * before, if it asks one. In milliseconds.
 */
export async function looksOf(
  subject: Pick<Subject, 'look'> & { readonly lookUp?: () => Promise<number> },
  workload: Workload,
  times: number,
): Promise<{ readonly look: readonly number[]; readonly lookUp: readonly number[] }> {
  const [look, lookUp]: [number[], number[]] = [[], []]
  for (let time = 0; time < times; time++) {
    look.push(await subject.look(workload))
    if (subject.lookUp !== undefined) lookUp.push(await subject.lookUp())
  }
  return { look, lookUp }
}
