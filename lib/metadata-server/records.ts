import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { steadyMs } from '../clock.ts'
import { recordFile } from '../metadata/place.ts'
import type { PodRecord } from '../metadata/record.ts'

/** Returns what is known of the pod with a token; undefined if none has it. */
export type FindRecord = (token: string) => Promise<PodRecord | undefined>

/** For so long, a pod that is gone may still be answered. What a pod is told never changes. */
const rememberedMs = 5_000
const mostRemembered = 512

/** Returns what reads records below a directory, where each is in a file that is named by its token alone. */
export function createRecords(directory: string): FindRecord {
  const known = new Map<string, { readonly record: PodRecord; readonly sinceMs: number }>()
  return async token => {
    const file = recordFile(token)
    const remembered = known.get(file)
    if (remembered !== undefined && steadyMs() - remembered.sinceMs < rememberedMs) return remembered.record
    known.delete(file)
    const record = await read(join(directory, file))
    if (record === undefined) return undefined
    const [oldest] = known.keys()
    if (known.size >= mostRemembered && oldest !== undefined) known.delete(oldest)
    known.set(file, { record, sinceMs: steadyMs() })
    return record
  }
}

/** The file of a pod that is gone is empty, because an engine can write files into a volume and remove none. */
async function read(path: string): Promise<PodRecord | undefined> {
  try {
    const text = await readFile(path, 'utf8')
    return text === '' ? undefined : JSON.parse(text)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
