import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pLimit from 'p-limit'
import { steadyMs } from '../clock.ts'
import { recordFile } from '../metadata/place.ts'
import type { PodRecord } from '../metadata/record.ts'

/** Returns what is known of the pod with a token; undefined if none has it. */
export type FindRecord = (token: string) => Promise<PodRecord | undefined>

/** For so long, a pod that is gone may still be answered. What a pod is told never changes. */
const rememberedMs = 5_000
/** How many characters of records are remembered. As objects they take several times as many bytes. */
const mostCharacters = 8 * 1024 * 1024
/** How many records are read at a time. A large one takes as much memory as a thousand small ones. */
const readsAtATime = 4

type Known = { readonly found: Promise<Found | undefined>; readonly sinceMs: number; characters: number }
type Found = { readonly record: PodRecord; readonly characters: number }

/**
 * Returns what reads records below a directory, where each is in a file that is named by its token alone. A record is
 * read once for all that ask for it meanwhile, so that a pod with a large one takes no more memory, however often it asks.
 */
export function createRecords(directory: string): FindRecord {
  const known = new Map<string, Known>()
  const limit = pLimit(readsAtATime)
  let characters = 0
  const forget = (file: string) => {
    characters -= known.get(file)?.characters ?? 0
    known.delete(file)
  }
  const note = (file: string, one: Known, found: Found | undefined) => {
    if (known.get(file) !== one) return
    if (found === undefined) return forget(file)
    one.characters = found.characters
    characters += found.characters
    for (const oldest of known.keys()) {
      if (characters <= mostCharacters) return
      forget(oldest)
    }
  }
  return async token => {
    const file = recordFile(token)
    const remembered = known.get(file)
    if (remembered !== undefined && steadyMs() - remembered.sinceMs < rememberedMs)
      return (await remembered.found)?.record
    forget(file)
    const one = { found: limit(() => read(join(directory, file))), sinceMs: steadyMs(), characters: 0 }
    known.set(file, one)
    try {
      const found = await one.found
      note(file, one, found)
      return found?.record
    } catch (error) {
      note(file, one, undefined)
      throw error
    }
  }
}

/** The file of a pod that is gone is empty, because an engine can write files into a volume and remove none. */
async function read(path: string): Promise<Found | undefined> {
  try {
    const text = await readFile(path, 'utf8')
    return text === '' ? undefined : { record: JSON.parse(text), characters: text.length }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
