import type { Document } from '../../document/document.ts'
import type { Problem } from '../../errors.ts'
import { isRecord } from '../../object.ts'
import { checkSchema, withoutFaults } from '../../schema.ts'
import type { PodManifest } from './pod.gen.ts'

/** Whether a document says that it is a manifest of the App Container specification, or of which version of it. */
export function isPodManifest({ value }: Document): boolean {
  return isRecord(value) && ('acKind' in value || 'acVersion' in value)
}

/** A pod manifest that follows its schema, or what is left of one. */
export type PodDocument = {
  readonly file: string
  readonly document: Document
  readonly value: PodManifest
  /** What is left out of it because of its problems. */
  readonly without: readonly string[]
}

/** What the schema says of a pod manifest. */
export type PodRead = {
  readonly problems: readonly Problem[]
  /** Absent: too little of it can be read. */
  readonly rest?: PodDocument
}

/**
 * Checks a pod manifest against its schema (C1). What the schema allows is what is built from. The reference
 * implementation writes `null` for a list that is empty, so that is read as none.
 */
export function readPodManifest(written: Document): PodRead {
  const document = { ...written, value: withoutEmptyLists(written.value) }
  const problems = checkSchema('pod', document)
  const rest = problems.length === 0 ? { document, without: [] } : withoutFaults('pod', document)
  return {
    problems,
    ...(rest === undefined
      ? {}
      : { rest: { file: document.file, ...rest, value: manifestIn(rest.document) } }),
  }
}

/** The schema guarantees the type, which was generated from it. */
function manifestIn({ value }: Document): PodManifest {
  return value as PodManifest
}

/** The lists that may be missing, by their keys. */
const lists: ReadonlySet<string> = new Set([
  ...['volumes', 'isolators', 'annotations', 'ports'],
  ...['labels', 'mounts'],
  ...['exec', 'supplementaryGIDs', 'environment', 'eventHandlers', 'mountPoints'],
])

/** The values of these keys have keys that the author chooses. */
const free: ReadonlySet<string> = new Set(['value', 'userAnnotations', 'userLabels'])

function withoutEmptyLists(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmptyLists)
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => {
      if (inner === null && lists.has(key)) return []
      return [[key, free.has(key) || key.startsWith('x-') ? inner : withoutEmptyLists(inner)]]
    }),
  )
}
