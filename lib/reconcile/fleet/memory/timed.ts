/** Remembers times of day. */
export type Timed = {
  /** Moves all of them after the time of day was put forward by so many ms (decision 0050). */
  putForward(byMs: number): void
}
