import type { Spot } from '../spot.ts'
import type { PodPlace } from './place.ts'
import { hostSystem } from './platform.ts'

type Named = { readonly name: string; readonly value: string }

/** Notes a fault for each name that stands twice in a list of annotations or labels (C2, C7). */
export function faultRepeated(list: readonly { readonly name: string }[], spot: Spot): void {
  const seen = new Set<string>()
  list.forEach(({ name }, index) => {
    if (seen.has(name)) spot.at(index, 'name').fault(`is "${name}" a second time`)
    seen.add(name)
  })
}

/**
 * Notes a fault for labels of an image that are there twice or called like the key for its name, for an `os` that the
 * specification does not know or that Docker hosts do not have, and for an `arch` that its `os` does not have.
 */
export function faultLabels(labels: readonly Named[], { invalid: spot, unrunnable }: PodPlace): void {
  faultRepeated(labels, spot)
  const os = labels.find(({ name }) => name === 'os')?.value
  const archs = os === undefined ? undefined : architectures.get(os)
  labels.forEach(({ name, value }, index) => {
    if (name === 'name')
      spot.at(index, 'name').fault('is "name"; the name of an image stands beside its labels')
    if (name === 'os' && archs === undefined)
      spot
        .at(index, 'value')
        .fault(`"${value.slice(0, 40)}" is no system; there are ${[...architectures.keys()].join(', ')}`)
    else if (name === 'os' && value !== hostSystem)
      unrunnable.at(index, 'value').fault(`is ${value}, and pods run on ${hostSystem} only`)
    if (name === 'arch' && archs !== undefined && !archs.includes(value))
      spot
        .at(index, 'value')
        .fault(`"${value.slice(0, 40)}" is no architecture of ${os}; there are ${archs.join(', ')}`)
  })
}

/** How the specification spells them. */
const architectures: ReadonlyMap<string, readonly string[]> = new Map([
  ['linux', 'amd64 i386 aarch64 aarch64_be armv6l armv7l armv7b ppc64 ppc64le s390x'.split(' ')],
  ['freebsd', ['amd64', 'i386', 'arm']],
  ['darwin', ['x86_64', 'i386']],
])

/** Notes a fault for each annotation that is there twice, or whose name asks for another form of its text. */
export function faultAnnotations(annotations: readonly Named[], spot: Spot): void {
  faultRepeated(annotations, spot)
  annotations.forEach((annotation, index) => {
    const fault = annotationFault(annotation)
    if (fault !== undefined) spot.at(index, 'value').fault(fault)
  })
}

/** Returns why the text of an annotation is none that its name asks for. */
export function annotationFault({ name, value }: Named): string | undefined {
  if (name === 'created' && !isDate(value))
    return `"${value.slice(0, 40)}" is no date; write for example 2026-05-14T23:11:14Z`
  if ((name === 'homepage' || name === 'documentation') && !isWebAddress(value))
    return `"${value.slice(0, 40)}" is no URL that begins with http:// or https://`
  return undefined
}

const datePattern = /^\d{4}-\d{2}-\d{2}T(?:[01]\d|2[0-3]):\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/

/** A date of RFC 3339, which has no hour 24. JavaScript takes February 30th for March 1st, so the day is compared. */
function isDate(text: string): boolean {
  const ms = datePattern.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(ms)) return false
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text.slice(0, 10))
}

/** Browsers also take addresses with blanks around them, without slashes, or with line breaks within. */
function isWebAddress(text: string): boolean {
  return /^https?:\/\/\S+$/i.test(text) && URL.canParse(text)
}
