import { Failure } from '../../errors.ts'
import type { KeptVersion } from '../../journal/fleet/kept-versions.ts'
import type { Journal } from '../../journal/journal.ts'

/** What a person means to go back to: a version that is kept, or a commit or its beginning, which need not exist. */
export type Meant = { readonly keptVersion: KeptVersion } | { readonly commit: string }

/** Where a name is looked up: the environment, and the kept versions of the application; none: it is about none. */
type Place = {
  readonly journal: Pick<Journal, 'show'>
  readonly environment: string
  readonly keptVersions: readonly KeptVersion[]
}

/**
 * Returns what a person means who writes `version:2.0.4`, `commit:6f0c2f1` or `pass:7`, or only a kept version or a
 * commit of at least seven digits; the version goes first. A plain number is never a pass: versions are numbers, too,
 * and one that is no longer kept must not become something else. Undefined if nothing is known of that name. Fails with
 * `wrong-usage` if the rest behind a prefix cannot be one.
 */
export function targetMeant(known: Place, written: string): Meant | undefined {
  const { kind, name } = partsOf(written)
  switch (kind) {
    case 'version':
      return versionNamed(known, name)
    case 'commit':
      if (!isCommit(name))
        throw new Failure('wrong-usage', `${written}: a commit is 7 to 40 hexadecimal digits`)
      return { commit: name }
    case 'pass':
      if (!isNumber(name)) throw new Failure('wrong-usage', `${written}: a pass is called by its number`)
      return commitOfPass(known, name)
    default:
      return versionNamed(known, written) ?? (isCommit(written) ? { commit: written } : undefined)
  }
}

/**
 * Returns what there is none of, in words: `version 9`, `pass 7`. Without a name it is the version before the present one,
 * which is named if it is none of the kept ones: nobody would know which it is.
 */
export function missingText(
  written: string | undefined,
  keptVersions: readonly KeptVersion[],
  present = '',
): string {
  if (written === undefined) {
    const isPlain =
      present === '' || keptVersions.length === 0 || keptVersions.some(one => one.version === present)
    return isPlain
      ? 'version before the present one'
      : `version before ${present}, which is wanted now and is not kept`
  }
  const { kind, name } = partsOf(written)
  return kind === 'commit' ? `version of commit ${name}` : `${kind || 'version'} ${name}`
}

/** Returns the hint where nothing came before the present version, if another one is kept. */
export function hintToName(
  keptVersions: readonly KeptVersion[],
  present: string | undefined,
): { readonly hint?: string } {
  const others = keptVersions.filter(({ version }) => version !== present)
  if (others.length === 0) return {}
  const best = others.filter(({ hasOnlyFailed }) => hasOnlyFailed !== true)
  const offered = (best.length > 0 ? best : others).map(({ version }) => `--to ${version}`)
  return {
    hint: `Name the version that is meant: ${offered.join(' or ')}. What somebody went back from, and what failed or was aborted, does not count as the version before.`,
  }
}

/** Returns the hint for a name that means nothing, if what was probably meant would have to be written otherwise. */
export function hintFor(written: string): { readonly hint?: string } {
  if (!isNumber(written)) return {}
  return { hint: `If you mean the pass of that number in "tallyman log", write --to pass:${written}.` }
}

/** `kind`: the prefix; empty: there is none. */
function partsOf(written: string): { readonly kind: string; readonly name: string } {
  const { kind = '', name = written } =
    /^(?<kind>version|commit|pass):(?<name>.*)$/s.exec(written)?.groups ?? {}
  return { kind, name }
}

function versionNamed({ keptVersions }: Place, name: string): Meant | undefined {
  const keptVersion = keptVersions.find(({ version }) => version === name)
  return keptVersion && { keptVersion }
}

function commitOfPass({ journal, environment }: Place, name: string): Meant | undefined {
  const pass = journal.show(Number(name))
  const commit = pass?.environment === environment ? pass.revision?.commit : undefined
  return commit === undefined ? undefined : { commit }
}

function isCommit(text: string): boolean {
  return /^[0-9a-f]{7,40}$/.test(text)
}

function isNumber(text: string): boolean {
  return /^\d{1,9}$/.test(text)
}
