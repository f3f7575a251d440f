import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { deflateSync } from 'node:zlib'
import type { NewObject } from '../../../lib/git/objects/object.ts'
import type { IndexedFile } from './work-tree.ts'

/** Makes a git directory as `git init` does. */
export function initialise(directory: string, config: string): void {
  mkdirSync(join(directory, 'refs/heads'), { recursive: true })
  mkdirSync(join(directory, 'objects'))
  writeFileSync(join(directory, 'HEAD'), 'ref: refs/heads/main\n')
  writeFileSync(join(directory, 'config'), config)
}

/** Where git keeps an object that is in no pack, below `objects`. */
export function looseName(oid: string): string {
  return join(oid.slice(0, 2), oid.slice(2))
}

/** Writes an object that is in no pack, unless it is there. */
export function writeObject(directory: string, { type, oid, content }: NewObject): void {
  const path = join(directory, 'objects', looseName(oid))
  if (existsSync(path)) return
  mkdirSync(dirname(path), { recursive: true })
  const head = Buffer.from(`${type} ${content.length}\0`)
  writeFileSync(path, deflateSync(Buffer.concat([head, content]), { level: 1 }), { mode: 0o444 })
}

/** Returns what a ref that is in a file of its own points at; undefined if there is none. */
export function readRef(directory: string, ref: string): string | undefined {
  const path = join(directory, ref)
  return existsSync(path) ? readFileSync(path, 'utf8').trimEnd() : undefined
}

export function writeRef(directory: string, ref: string, oid: string): void {
  replace(join(directory, ref), `${oid}\n`)
}

/**
 * Writes the index: what will be committed, in the order of its paths. It says nothing of the files of the work tree, so
 * that git looks at them.
 */
export function writeIndex(directory: string, files: readonly IndexedFile[]): void {
  const head = Buffer.alloc(12)
  head.write('DIRC')
  head.writeUInt32BE(2, 4)
  head.writeUInt32BE(files.length, 8)
  const content = Buffer.concat([head, ...files.map(indexEntry)])
  replace(join(directory, 'index'), Buffer.concat([content, createHash('sha1').update(content).digest()]))
}

/** Times, device, owner and size are 0. The name ends in one to eight zeros, so that the next entry is aligned. */
function indexEntry({ path, mode, oid }: IndexedFile): Buffer {
  const name = Buffer.from(path)
  const entry = Buffer.alloc((62 + name.length + 8) & ~7)
  entry.writeUInt32BE(Number.parseInt(mode, 8), 24)
  entry.write(oid, 40, 'hex')
  entry.writeUInt16BE(Math.min(name.length, 0xfff), 60)
  name.copy(entry, 62)
  return entry
}

function replace(path: string, content: string | Buffer): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(`${path}.lock`, content)
  renameSync(`${path}.lock`, path)
}
