import { readdirSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { Document } from '../../document/document.ts'
import { shownPointer } from '../../document/document.ts'
import { parseJson } from '../../document/json.ts'
import { parseYaml } from '../../document/yaml.ts'
import { boundedProblem, InvalidInput, messageOf, type Problem, upTo, withHint } from '../../errors.ts'
import { readRegularNow } from '../../file/read-regular.ts'
import { limits } from '../../limits.ts'
import { isRecord, optional } from '../../object.ts'
import { checkSchema } from '../../schema.ts'
import type { NoteFault } from '../listeners.ts'
import { type BesideSites, faultBuiltIn, readSiteEntry, type Site, type WrittenSite } from './sites.ts'

/** A file in the directory of sites, and the site that it describes or what is wrong in it. */
export type SiteFile = {
  /** Its path. */
  readonly file: string
  /** The name of the site: that of the file without its ending. */
  readonly name: string
} & ({ readonly site: Site } | { readonly problems: readonly Problem[] })

const endings: readonly string[] = ['.yaml', '.yml', '.json']

/** What the directory of sites holds. `problem`: why it cannot be read. */
export type SiteFiles = { readonly files: readonly SiteFile[]; readonly problem?: Problem }

/** Without a directory of sites. */
export const noFiles: SiteFiles = { files: [] }

/** Reports what is wrong with sites together with the rest of the configuration. */
type Check = (sites: readonly Site[], fault: NoteFault) => void

/** Reads the sites of a directory. */
export type SiteReader = (directory: string, beside: BesideSites, check: Check) => SiteFiles

/** Reads no file, for whoever asks for other parts of the configuration: a fleet may have thousands of files. */
export const readNoFiles: SiteReader = () => noFiles

/** Returns a reader that parses a file again only if it changed since the last time. */
export function createSiteReader(): SiteReader {
  let known: ReadonlyMap<string, Parsed> = new Map()
  return (directory, beside, check) => {
    const parsed = new Map<string, Parsed>()
    const parse = (file: string) => {
      const mark = markOf(file)
      const before = known.get(file)
      const document = before?.mark === mark ? before.document : parseSite(file)
      parsed.set(file, { mark, document })
      return document
    }
    const found = readSiteFiles(directory, beside, check, parse)
    known = parsed
    return found
  }
}

/** A file as it was parsed, and what changes with its content. */
type Parsed = { readonly mark: string; readonly document: Document }

function markOf(file: string): string {
  try {
    const { ino, size, mtimeMs, ctimeMs } = statSync(file)
    return [ino, size, mtimeMs, ctimeMs].join()
  } catch (error) {
    throw wrong(file, `cannot be read: ${messageOf(error)}`, unreadHint)
  }
}

/**
 * Reads the files of a directory, one for each site, in the order of their names. What has another ending, or begins
 * with a dot, is no such file. Never fails.
 */
export function readSiteFiles(
  directory: string,
  beside: BesideSites,
  check: Check,
  parse: (file: string) => Document = parseSite,
): SiteFiles {
  let entries: readonly string[]
  try {
    entries = readdirSync(directory)
  } catch (cause) {
    const problem: Problem = {
      code: 'config-invalid',
      message: `the directory of sites cannot be read: ${messageOf(cause)}`,
      position: { file: directory },
      hint: 'Correct "sitesDirectory" in the configuration, or create the directory.',
    }
    return { files: [], problem }
  }
  const files = entries
    .filter(entry => endings.includes(extname(entry)) && !entry.startsWith('.'))
    .sort()
    .map(entry => readSiteFile(join(directory, entry), entry, { beside, check, parse }))
  return { files }
}

type Reading = {
  readonly beside: BesideSites
  readonly check: Check
  readonly parse: (file: string) => Document
}

function readSiteFile(file: string, entry: string, { beside, check, parse }: Reading): SiteFile {
  const name = entry.slice(0, -extname(entry).length)
  const found = (problems: readonly Problem[]) => ({ file, name, problems: problems.map(asConfigProblem) })
  try {
    const parsed = parse(file)
    const document = withName(parsed, name)
    const misshapen = checkSchema('site', document).map(problem => ofFileName(problem, parsed))
    const problems = [...misshapen]
    const fault = (pointer: string, reason: string) =>
      problems.push({
        code: 'config-invalid',
        message: `${shownPointer(pointer)}: ${reason}`,
        position: document.position(pointer),
      })
    if (misshapen.length > 0) {
      faultBuiltIn(writtenLabels(document), '/labels', fault)
      return found(upTo(problems, limits.problemsOfFile))
    }
    const written = document.value as WrittenSite
    if (written.name !== name)
      fault('/name', `the site of this file is "${name}", as the file is called; leave the name out`)
    const site = { ...readSiteEntry(written, beside, '', fault), file }
    check([site], fault)
    return problems.length === 0 ? { file, name, site } : found(upTo(problems, limits.problemsOfFile))
  } catch (error) {
    if (error instanceof InvalidInput) return found(error.problems)
    throw error
  }
}

/** Where a file does not say a name, it is that of the file which cannot be the name of a site. */
function ofFileName(problem: Problem, { value }: Document): Problem {
  if (!problem.message.startsWith('/name ') || (isRecord(value) && Object.hasOwn(value, 'name')))
    return problem
  const message = problem.message.replace(/^\/name /, 'the name of the file, and so of its site, ')
  return { ...problem, message }
}

/** Returns the labels of a site that need not be well-formed. */
function writtenLabels({ value }: Document): object {
  const labels = isRecord(value) ? value['labels'] : undefined
  return isRecord(labels) ? labels : {}
}

/** Whatever is wrong with the text of a file of the configuration is wrong with the configuration. */
function asConfigProblem(problem: Problem): Problem {
  return boundedProblem({ ...withHint(problem), code: 'config-invalid' })
}

function parseSite(file: string): Document {
  const text = textOf(file)
  const document = extname(file) === '.json' ? parseJson(file, text) : parseYaml(file, text)
  if (isRecord(document.value)) return document
  // An empty file is what a program leaves for a moment that is about to write it.
  const isEmpty = document.value === null || document.value === undefined
  throw wrong(file, isEmpty ? 'the file is empty' : 'a site is a mapping of keys such as "endpoint:"')
}

function textOf(file: string): string {
  try {
    return readRegularNow(file, { mostBytes: limits.documentCharacters }).toString()
  } catch (error) {
    throw wrong(file, `cannot be read: ${messageOf(error)}`, unreadHint)
  }
}

const unreadHint = 'Put a regular file of one site there that tallyman may read, or take it away.'

function wrong(file: string, message: string, hint?: string): InvalidInput {
  return new InvalidInput([
    { code: 'config-invalid', message, position: { file }, ...optional('hint', hint) },
  ])
}

/** A file need not repeat its name. It may name its schema, and hold keys that nothing reads (D2). */
function withName(document: Document, name: string): Document {
  const keys = Object.entries(document.value ?? {}).filter(
    ([key]) => key !== '$schema' && !key.startsWith('x-'),
  )
  return { ...document, value: { name, ...Object.fromEntries(keys) } }
}
