import type { Document } from '../../document/document.ts'
import type { Problem } from '../../errors.ts'
import { isRecord } from '../../object.ts'
import { checkSchema, withoutFaults } from '../../schema.ts'
import type { PodManifest } from './pod.gen.ts'

/** Whether a document says that it is a manifest of the App Container specification. */
export function isPodManifest({ value }: Document): boolean {
  return isRecord(value) && 'acKind' in value
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

/** Checks a pod manifest against its schema (C1). What the schema allows is what is built from. */
export function readPodManifest(document: Document): PodRead {
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
