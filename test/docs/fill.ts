import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { catalogue, type Retry } from '../../lib/errors/catalogue.ts'
import { limits } from '../../lib/limits.ts'
import type { PoolLimits } from '../../lib/reconcile/concurrency/pool.ts'
import { limitsOfPools, type Pools } from '../../lib/reconcile/concurrency/pools.ts'
import { documentPaths, readText } from './documents.ts'
import { importTable } from './imports.ts'

/**
 * A document with the parts that have their source elsewhere as that source has them now:
 * - the block of code after `<!-- file PATH -->` is that file,
 * - between `<!-- errors -->` and `<!-- end -->` stands the catalogue of errors,
 * - between `<!-- repository limits -->` and `<!-- end -->` what a repository may hold,
 * - between `<!-- site limits -->` and `<!-- end -->` what is done on sites at the same time,
 * - between `<!-- imports -->` and `<!-- end -->` who imports whom in lib.
 * `node test/docs/fill.ts` writes all documents anew; a test fails when one of them is not up to date.
 */
export function filled(document: string): string {
  return document
    .replaceAll(/(<!-- file (\S+) -->\n\n?)```[\s\S]*?\n```/g, (_, mark, path) => mark + blockOf(path))
    .replace(/(<!-- errors -->\n)[\s\S]*?(<!-- end -->)/, (_, begin, end) => `${begin}\n${errors()}\n${end}`)
    .replace(
      /(<!-- repository limits -->\n)[\s\S]*?(<!-- end -->)/,
      (_, begin, end) => `${begin}${limitTable()}\n\n${end}`,
    )
    .replace(
      /(<!-- site limits -->\n)[\s\S]*?(<!-- end -->)/,
      (_, begin, end) => `${begin}${poolTable()}\n\n${end}`,
    )
    .replace(
      /(<!-- imports -->\n)[\s\S]*?(<!-- end -->)/,
      (_, begin, end) => `${begin}\n${importTable()}\n\n${end}`,
    )
}

function blockOf(path: string): string {
  const language = /\.(json|yaml)$/.exec(path)?.[1] ?? 'text'
  return `\`\`\`${language}\n${readText(path).trimEnd()}\n\`\`\``
}

/** Every limit in words; one without does not compile. */
const limitWords: Readonly<Record<keyof typeof limits, string>> = {
  documentCharacters: 'Characters in one JSON or YAML file',
  documentValues: 'Values in one file, including those that aliases repeat',
  unfoldedCharacters: 'Characters in one file, including those that aliases repeat',
  yamlTokens: 'Words, separators and lines in one YAML file',
  documentDepth: 'Depth of objects and lists',
  includedFiles: 'Files that a manifest includes, in total',
  includes: 'Includes in all files of one manifest',
  includeDepth: 'Depth of includes',
  services: 'Services in the manifest of one environment, including all included files',
  specificationTokens:
    'Words and values in all specifications that one environment can name; the same for its deployments, where each part of a regular expression counts',
  variableCharacters: 'Characters that variables add to the texts of one application',
  variableCharactersInAll:
    'The same of all applications that one environment can name, in equal shares of at least 4 KiB',
  instances: 'Instances of one application',
  ports: 'Ports of one application, counting each port of a range',
  files: 'Files of volumes in the containers of one application, counting each mount',
  definitionCharacters:
    'Characters of what is set on the containers and hooks of one application, counting equal instances once, each mount of a file, and 64 for each part of a regular expression of `upgrade-from` and `match-host-labels`',
  definitionCharactersTogether: 'The same for all applications of one environment',
  containersTogether: 'Containers of all instances and hooks of one environment',
  imagesTogether: 'Different images of all applications of one environment',
  portsTogether: 'Ports of all applications of one environment, counting each port of a range',
  filesTogether: 'Files of volumes in all containers of one environment, counting each mount',
  checkedTogether:
    'What `validate` checks of all environments together: 1 for each word of a specification that an environment names, and of a deployment with each part of its regular expressions, 100 for each service, 20 for each file',
  overlaidApplications: 'Applications that the directories of all sites of one environment change',
  variantApplications: 'Applications, in total, of the sites of one environment that have a directory',
  expressionCharacters: 'Characters of one label expression',
  expressionDepth: 'Levels of parentheses and `not` in one label expression',
  expressionPatterns: 'Regular expressions in one label expression',
  patternParts:
    'Parts of one regular expression, with its counted repetitions written out: `\\d{1,9}` has nine. A part is a character, an escape, a class in brackets, an operator or a parenthesis',
  messageCharacters:
    'Characters of an error, a warning or a hint, or of one line of an error with the output of a container; the middle of a longer one is left out and counted',
  messageLines: 'Lines of that length in one error',
  problemsOfFile: 'Errors that are reported for one file; the others are only counted',
  problems:
    'Errors that are reported for all files, or by a plan for all blocked applications; the others are only counted',
}

const poolWords: Readonly<Record<keyof Pools, string>> = {
  look: 'Looks at a site, from its containers to the plan',
  ask: 'Questions to ingresses, for `status` and `metrics`',
  call: 'Steps of plans that occupy an engine, such as creating a container; waits are not counted',
  pull: 'Pulls of images',
}

function poolTable(): string {
  const rows = (['look', 'ask', 'call', 'pull'] as const).map(kind => {
    const { most, perSite, patienceMs, slow } = limitsOfPools[kind]
    return `| ${poolWords[kind]} | ${most} | ${perSite} | ${patienceMs / 1000} s | ${slow} |`
  })
  return [
    '| what | all sites | one site | gives up its place after | all slow sites |',
    '|---|---|---|---|---|',
    ...rows,
    ...youngRule(limitsOfPools.look),
  ].join('\n')
}

function youngRule({ young }: PoolLimits): readonly string[] {
  if (young === undefined) return []
  const { most, ms } = young
  return [
    '',
    `Of the looks that are younger than ${ms} ms, ${most} are under way at the same time: where engines answer at once, one is done after the other, and where they take longer, ${(most * 1_000) / ms} begin in a second. Looks of slow sites are not counted.`,
  ]
}

function limitTable(): string {
  const rows = Object.entries(limitWords).map(([key, words]) => {
    const most = Object.entries(limits).find(([name]) => name === key)?.[1] ?? 0
    return `| ${words} | ${most.toLocaleString('en')} |`
  })
  return ['| what | at most |', '|---|---|', ...rows].join('\n')
}

function errors(): string {
  return Object.entries(catalogue)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([code, entry]) =>
        `## ${code}\n\n${entry.meaning}\n\n- Next: ${next[entry.retry]}\n- Hint: ${entry.hint}\n${'alone' in entry ? `- Without a daemon: ${entry.alone}\n` : ''}`,
    )
    .join('\n')
}

const next: Readonly<Record<Retry, string>> = {
  backoff: 'tallyman tries again by itself (`backoff`).',
  never: 'it waits for a change (`never`).',
}

if (import.meta.main)
  for (const path of documentPaths())
    writeFileSync(join(import.meta.dirname, '../..', path), filled(readText(path)))
