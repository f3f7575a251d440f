import { readFile, writeFile } from 'node:fs/promises'
import type { JSONSchema } from 'json-schema-to-typescript'
import { compile } from 'json-schema-to-typescript'

/** The schemas whose types are generated, and where the types go. */
export const generated = [
  { schema: 'schemas/manifest.schema.json', types: 'lib/manifest/manifest.gen.ts' },
  { schema: 'schemas/application.schema.json', types: 'lib/spec/application.gen.ts' },
  { schema: 'schemas/config.schema.json', types: 'lib/config.gen.ts' },
] as const

/** The types of a schema, as TypeScript. Free keys (`x-…`) are left out: nothing may read them. */
export async function typesOf(schema: string): Promise<string> {
  const parsed = JSON.parse(await readFile(inRepository(schema), 'utf8'), withoutFreeKeys)
  return compile(parsed as JSONSchema, '', {
    bannerComment: `/** Generated from ${schema} by schemas/generate.ts; edit that schema instead. */`,
    style: { semi: false, singleQuote: true },
  })
}

/** A file of this repository. */
export function inRepository(path: string): URL {
  return new URL(`../${path}`, import.meta.url)
}

function withoutFreeKeys(key: string, value: unknown): unknown {
  return key === 'patternProperties' ? undefined : value
}

if (import.meta.main)
  for (const { schema, types } of generated) await writeFile(inRepository(types), await typesOf(schema))
