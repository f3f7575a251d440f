import type { NamedText } from '../../../state/application/pod/pod.ts'
import type { NamedIsolator } from './isolator.ts'

/** The annotation with which a reified manifest tells which requests no template has written (C41). */
export const requestsAnnotation = 'tallyman/requests'

/**
 * Returns which isolators of an app have a limit and no request of their own, one on each line: `0: resource/memory`;
 * undefined if all have one.
 */
export function defaultRequests(isolators: readonly NamedIsolator[]): string | undefined {
  const lines = isolators.flatMap(({ name, index, isolator }) =>
    isResource(isolator) && isolator.limit !== undefined && isolator.request === undefined
      ? [lineOf(index, name)]
      : [],
  )
  return lines.length === 0 ? undefined : lines.join('\n')
}

/**
 * Returns the isolators of an app without the requests that only a reified manifest spells out. Such a request equals
 * its limit, and nothing is set aside for it, so it must not count where that manifest is read as a template (C4, C41).
 */
export function withoutDefaultRequests(
  isolators: readonly NamedIsolator[],
  annotations: readonly NamedText[],
): readonly NamedIsolator[] {
  const said = annotations.find(({ name }) => name === requestsAnnotation)?.value.split('\n') ?? []
  return isolators.map(one => {
    const { name, index, isolator } = one
    if (!isResource(isolator) || !said.includes(lineOf(index, name))) return one
    const { request, ...rest } = isolator
    return request?.thousandths === rest.limit?.thousandths ? { name, index, isolator: rest } : one
  })
}

function lineOf(index: number, name: string): string {
  return `${index}: ${name}`
}

type Resource = Extract<NamedIsolator['isolator'], { kind: 'memory' | 'cpu' }>

function isResource(isolator: NamedIsolator['isolator']): isolator is Resource {
  return isolator.kind === 'memory' || isolator.kind === 'cpu'
}
