import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Ref } from './ref.ts'

/** Branches, tags and HEAD of a repository on disk; `common` is where all but HEAD is. */
export function readLocalRefs(gitDirectory: string, common: string): readonly Ref[] {
  const refs = new Map(parsePackedRefs(readText(join(common, 'packed-refs'))).map(ref => [ref.name, ref]))
  for (const name of [...namesBelow(common, 'refs/heads'), ...namesBelow(common, 'refs/tags')]) {
    const oid = /^[0-9a-f]{40}$/.exec(readText(join(common, name)).trim())?.[0]
    if (oid !== undefined) refs.set(name, { name, oid })
  }
  const head = headOf(readText(join(gitDirectory, 'HEAD')).trim(), refs)
  return head === undefined ? [...refs.values()] : [head, ...refs.values()]
}

/** A text file's content; empty when there is none. */
export function readText(path: string): string {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ? readFileSync(path, 'utf8') : ''
}

/** `<oid> <name>`, after an annotated tag `^<oid>` of what it stands for. */
export function parsePackedRefs(text: string): readonly Ref[] {
  const matches = text.matchAll(/^([0-9a-f]{40}) (refs\/\S+)(?:\n\^([0-9a-f]{40}))?$/gm)
  return [...matches].map(([, oid = '', name = '', peeled]) => ({
    name,
    oid,
    ...(peeled === undefined ? {} : { peeled }),
  }))
}

function headOf(text: string, refs: ReadonlyMap<string, Ref>): Ref | undefined {
  const target = /^ref: (refs\/\S+)$/.exec(text)?.[1]
  if (target === undefined) return /^[0-9a-f]{40}$/.test(text) ? { name: 'HEAD', oid: text } : undefined
  const oid = refs.get(target)?.oid
  return oid === undefined ? undefined : { name: 'HEAD', oid, target }
}

function namesBelow(common: string, directory: string): readonly string[] {
  const path = join(common, directory)
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return []
  return readdirSync(path, { withFileTypes: true }).flatMap(entry => {
    const name = `${directory}/${entry.name}`
    return entry.isDirectory() ? namesBelow(common, name) : [name]
  })
}
