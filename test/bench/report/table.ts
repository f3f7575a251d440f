/** One line of the table: what was measured, beside what, and whether that is good enough. */
export type Row = {
  readonly what: string
  readonly measured: string
  readonly beside?: string
  /** Measured divided by what stands beside it. */
  readonly ratio?: number
  readonly goal?: string
  /** Why it is this goal. */
  readonly why?: string
  /** Absent: nothing was promised, or there was nothing to compare with. */
  readonly reached?: boolean
}

/** A table that reads well on a terminal and in Markdown. */
export function table(rows: readonly Row[]): string {
  const lines = [
    ['measurement', 'tallyman', 'beside', 'ratio', 'goal', ''],
    ...rows.map(({ what, measured, beside = '', ratio, goal = '', reached }) => [
      what,
      measured,
      beside,
      ratio === undefined ? '' : ratio.toFixed(2),
      goal,
      reached === undefined ? '' : reached ? 'reached' : 'MISSED',
    ]),
  ]
  const widths =
    lines[0]?.map((_, column) => Math.max(3, ...lines.map(line => line[column]?.length ?? 0))) ?? []
  const row = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const [head = [], ...body] = lines
  return [row(head), row(widths.map(width => '-'.repeat(width))), ...body.map(row)].join('\n')
}

/** Why goals are what they are, one line for each that says so. */
export function reasons(rows: readonly Row[]): string {
  return rows
    .flatMap(({ what, goal, why }) => (why === undefined ? [] : [`${what}, ${goal}: ${why}`]))
    .join('\n')
}

/** `4.62 s`, `18.3 ms` */
export function duration(ms: number): string {
  return ms >= 1_000 ? `${(ms / 1_000).toFixed(2)} s` : `${ms.toFixed(ms < 100 ? 1 : 0)} ms`
}

/** `81.4 MB`, of 1024 × 1024 bytes each. */
export function megabytes(bytes: number): string {
  return `${(bytes / (1 << 20)).toFixed(1)} MB`
}
