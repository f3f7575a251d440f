import { expect } from 'chai'
import type { Ran, StatusDocument } from '../support/command/tallyman.ts'

/** What `plan` and `apply` print with `--output json` (interface, section 3). */
export type PlanDocument = {
  readonly id: string
  readonly environment: string
  readonly revision: Readonly<Record<'ref' | 'commit' | 'author' | 'subject' | 'time', string>>
  readonly sync: string
  readonly needsConfirmation: boolean
  readonly warnings: readonly { readonly code: string; readonly message: string }[]
  readonly changes: readonly ChangeDocument[]
  readonly outcome?: string
  readonly error?: ErrorDocument
  readonly unreachable?: readonly (Omit<ErrorDocument, 'resource'> & { readonly site: string })[]
}

export type ChangeDocument = {
  readonly site: string
  readonly application: string
  readonly service: string
  readonly instances: number
  readonly action: string
  readonly cause: string
  readonly reason: string
  readonly fields: readonly {
    readonly path: string
    readonly from?: string
    readonly to?: string
    readonly touches?: string
  }[]
  readonly strategy: string
  readonly downtime: boolean
  /** Why it is left alone; absent: it is not. */
  readonly held?: { readonly code: string; readonly reason: string }
  readonly pulls: readonly string[]
  readonly steps: readonly string[]
}

export type ErrorDocument = {
  readonly code: string
  readonly message: string
  readonly hint: string
  readonly resource?: string
}

/** The one JSON document on stdout; there may be nothing else on it. */
export function documentOf(ran: Ran): PlanDocument {
  return JSON.parse(ran.stdout)
}

/** Expects an exit code, and shows what the command said where it has another. */
export function expectCode(ran: Ran, code: number): void {
  expect(ran.code, `${ran.stdout}\n${ran.stderr}`).to.equal(code)
}

/** Whether `status` tells an error with one of these codes. */
export function has(...codes: readonly string[]): (seen: StatusDocument) => boolean {
  return ({ errors }) => errors.some(({ code }) => codes.includes(code))
}
