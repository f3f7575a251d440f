import { globSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** A file of lib, as tests of the architecture read it. */
export type Source = {
  /** `lib/plan/compare/diff.ts` */
  readonly path: string
  /** `plan` */
  readonly place: string
  /** Without comments. */
  readonly text: string
  /** What it imports: files of ours by path, everything else by name. */
  readonly imports: readonly string[]
}

const root = resolve(import.meta.dirname, '../../..')

/** All files of lib, in the order of their paths. */
export const sources: readonly Source[] = globSync('lib/**/*.ts', { cwd: root }).sort().map(read)

/** Facts and words that everybody may use; they import nothing of ours but each other. */
export const leaves: readonly string[] = [
  'clock',
  'errors',
  'file',
  'is-listening',
  'limits',
  'memo',
  'node-http',
  'numbers',
  'object',
  'parsed-json',
  'text',
  'wait',
]

function read(path: string): Source {
  const text = withoutComments(readFileSync(join(root, path), 'utf8'))
  const named = (pattern: RegExp) => [
    ...new Set([...text.matchAll(pattern)].map(([, name = '']) => target(path, name))),
  ]
  return {
    path,
    place: placeOf(path),
    text,
    imports: named(/\b(?:from|import)\s*\(?\s*'([^']+)'/g),
  }
}

/** Comments that stand on lines of their own. */
function withoutComments(text: string): string {
  return text.replaceAll(/^\s*(\/\/.*|\/\*\*?[\s\S]*?\*\/)$/gm, '')
}

function target(from: string, name: string): string {
  return name.startsWith('.') ? join(dirname(from), name) : name
}

/** Whether an import names a file of ours. */
export function isOurs(name: string): boolean {
  return name.startsWith('lib/')
}

/**
 * Returns the folder of lib that a file is in, or the file beside the folders: `lib/plan/rollout/create.ts` is in `plan`,
 * `lib/errors.ts` is `errors`.
 */
export function placeOf(path: string): string {
  const [, first = '', ...more] = path.split('/')
  return more.length === 0 ? first.replace(/\.ts$/, '') : first
}
