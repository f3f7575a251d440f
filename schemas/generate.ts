import { readFile, writeFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { Ajv, type AnySchemaObject } from 'ajv'
import standalone from 'ajv/dist/standalone/index.js'
import type { JSONSchema } from 'json-schema-to-typescript'
import { compile } from 'json-schema-to-typescript'
import { migrations } from '../lib/journal/store/migrations.ts'

/** TypeScript that is generated, mostly from a schema under schemas/, and the path of its file. */
export type Generated = { readonly path: string; readonly make: () => Promise<string> }

/** The file for the types of each schema. */
const places = {
  manifest: 'lib/manifest/manifest.gen.ts',
  application: 'lib/spec/application.gen.ts',
  deployment: 'lib/spec/deployment/deployment.gen.ts',
  pod: 'lib/spec/pod/pod.gen.ts',
  variables: 'lib/spec/variables.gen.ts',
  config: 'lib/config.gen.ts',
  control: 'lib/answers/request.gen.ts',
}

/** Schemas of which each property has a validator of its own, by its key. */
const inParts: readonly string[] = ['control']

/** Parts of schemas that have a validator of their own as well, by its name. */
const alsoAlone: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  config: { site: 'config#/properties/sites/items' },
}

/** Every generated file, and its content. */
export const generated: readonly Generated[] = [
  ...Object.entries(places).flatMap(([name, path]) => [typesOf(name, path), validatorOf(name)]),
  { path: 'lib/journal/store/tables.gen.ts', make: async () => newTables() },
]

/** Leaves out free keys (`x-…`), because nothing may read them. */
function typesOf(name: string, path: string): Generated {
  return {
    path,
    make: async () => {
      const parsed: JSONSchema = JSON.parse(await textOf(name), (key, value) =>
        key === 'patternProperties' ? undefined : value,
      )
      return compile(parsed, '', {
        additionalProperties: false,
        bannerComment: banner(name),
        style: { semi: false, singleQuote: true },
      })
    },
  }
}

/** To compile a schema costs more than everything else in a short command, so no command does it. */
function validatorOf(name: string): Generated {
  return {
    path: `lib/schema/${name}.gen.ts`,
    make: async () => {
      const ajv = new Ajv({
        allErrors: true,
        verbose: true,
        allowUnionTypes: true,
        inlineRefs: false,
        code: { source: true, esm: true },
      })
      // Keywords for messages: the unit of a bare number, the key that replaces one of Compose, a pattern in words.
      ajv.addVocabulary(['unit', 'instead', 'form'])
      const schema: AnySchemaObject = JSON.parse(await textOf(name))
      ajv.addSchema(schema, name)
      const parts = Object.keys(schema['properties']).map(key => [key, `${name}#/properties/${key}`])
      const exported = inParts.includes(name)
        ? Object.fromEntries(parts)
        : { [name]: name, ...alsoAlone[name] }
      const code = standalone.default(ajv, exported).replaceAll(joins, 'joined(vErrors, $1.errors)')
      return `${banner(name)}\n${asTypeScript}\n${code}\n`
    },
  }
}

/** ajv copies all errors so far for each value that has some. 100,000 wrong values would take minutes (G24). */
const joins = /vErrors === null \? (\w+)\.errors : vErrors\.concat\(\1\.errors\)/g

/** ajv writes JavaScript, and uses `require` also in modules. */
const asTypeScript = [
  '// @ts-nocheck',
  "import { createRequire } from 'node:module'",
  'const require = createRequire(import.meta.url)',
  'function joined(before, more) {',
  '  if (before === null) return more',
  '  for (const error of more) before.push(error)',
  '  return before',
  '}',
].join('\n')

/** To make the tables of a new journal by all migrations costs several times as much as to make them as they are now. */
function newTables(): string {
  using sqlite = new DatabaseSync(':memory:')
  for (const migration of migrations) sqlite.exec(migration)
  // SQLite makes its own tables and indexes by itself.
  const made = sqlite.prepare("SELECT sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'").all()
  const statements = made.map(({ sql }) => sql)
  return [
    '/** Generated from lib/journal/store/migrations.ts by schemas/generate.ts; add a migration there instead. */',
    `export const tables = ${JSON.stringify({ version: migrations.length, statements }, undefined, 2)} as const`,
    '',
  ].join('\n')
}

function banner(name: string): string {
  return `/** Generated from ${pathOf(name)} by schemas/generate.ts; edit that schema instead. */`
}

function textOf(name: string): Promise<string> {
  return readFile(inRepository(pathOf(name)), 'utf8')
}

function pathOf(name: string): string {
  return `schemas/${name}.schema.json`
}

/** Returns the URL of a file of this repository. */
export function inRepository(path: string): URL {
  return new URL(`../${path}`, import.meta.url)
}

if (import.meta.main)
  for (const { path, make } of generated) await writeFile(inRepository(path), await make())
