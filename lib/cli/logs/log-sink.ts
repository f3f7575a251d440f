import type { Failure } from '../../errors.ts'
import { foreign, partsOf, styled } from '../../plan/text/line.ts'
import { type Output, reportErrors } from '../output/output.ts'
import { lineJson, prefixing } from './log-line.ts'
import type { LogSink } from './log-source.ts'

export type LogForm = {
  /** Whether the container is named in front of each line, and its site too. */
  readonly hasNames: boolean
  readonly hasSites: boolean
  readonly hasTimes: boolean
}

/**
 * Prints lines as results: both streams of a container together, because the order in which they were written is what
 * helps. What is wrong goes to stderr.
 */
export function createSink(
  output: Output,
  { hasNames, hasSites, hasTimes }: LogForm,
  signal: AbortSignal,
): LogSink {
  const prefixOf = prefixing(hasSites)
  return {
    async line(line) {
      const prefix = hasNames ? partsOf(prefixOf(line.source)) : []
      const time = hasTimes ? [styled('dim', line.at), ' '] : []
      if (output.json) output.entry(lineJson(line))
      else output.text([[...prefix, ...time, foreign(line.text.replaceAll('\t', '    '))]])
      await output.room(signal)
    },
    failure: (failure: Failure) => reportErrors(output, [failure]),
    note: words => output.note(words),
  }
}
