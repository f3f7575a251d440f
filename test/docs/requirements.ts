import { globSync } from 'node:fs'
import { join } from 'node:path'
import { documentPaths, readText } from './documents.ts'

type Rule = { readonly id: string; readonly isOpen: boolean }

/** A file of the project that may name rules. */
type Citing = { readonly path: string; readonly text: string }

const list = 'docs/requirements.md'

/** The rules of docs/requirements.md, in its order. */
export function rules(): readonly Rule[] {
  const lines = readText(list).matchAll(/^- \*\*([A-Z]\d+)\*\* (\(open\) )?\S/gm)
  return [...lines].map(([, id = '', open]) => ({ id, isOpen: open !== undefined }))
}

/** Everything that is written by hand and may name rules: code, schemas, tests and documents but the list itself. */
export function filesThatCite(): readonly Citing[] {
  const sources = globSync(['bin/*.ts', 'lib/**/*.ts', 'schemas/*', 'test/**/*.ts'], {
    cwd: join(import.meta.dirname, '../..'),
  })
  return [...sources.filter(path => !path.endsWith('.gen.ts')), ...documentPaths()]
    .filter(path => path !== list)
    .map(path => ({ path, text: readText(path) }))
}

/** Titles of tests that begin or end with rules; rows of tables that become titles are among them. */
export function titles(files: readonly Citing[]): readonly string[] {
  const title = /(?<=["'`])(?:[A-Z]\d{1,2},? )+(?=\S)|\((?:[A-Z]\d{1,2}(?:, )?)+\)(?=["'`],)/g
  return files.filter(({ path }) => path.endsWith('.test.ts')).flatMap(({ text }) => text.match(title) ?? [])
}

/**
 * The rules that a text names. What only looks like one is none: a part of a word, a digest, an address or a path, and
 * the control characters that are called `C1`.
 */
export function citations(text: string): readonly string[] {
  return text.match(/(?<![\w.:#%/\\-])[ACDEGHPX]\d{1,2}(?![\w`-]|::| control)/g) ?? []
}

/** The rules among the words of a title. */
export function ruleIds(title: string): readonly string[] {
  return title.match(/[A-Z]\d+/g) ?? []
}
