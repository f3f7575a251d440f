import { statSync } from 'node:fs'
import { join } from 'node:path'
import { constants, inflateSync } from 'node:zlib'
import { readRegularNow } from '../../file/read-regular.ts'
import { gitLimits } from '../limits.ts'
import { namesInDirectory } from '../names-in-directory.ts'
import { corrupt, type GitObject, type Objects, type ObjectType, objectName } from './object.ts'

/** Opens the objects below an `objects` directory that have a file each. */
export function openLoose(directory: string): Objects {
  return {
    find(oid) {
      const path = join(directory, oid.slice(0, 2), oid.slice(2))
      const bytes = statSync(path, { throwIfNoEntry: false })?.size
      if (bytes === undefined) return undefined
      // A file of this size is larger than the limit once it is inflated, whatever its header says.
      if (bytes > gitLimits.objectBytes * 2) return { type: 'oversized', size: bytes }
      const deflated = readFile(path)
      return deflated && parseLoose(deflated, oid, path)
    },
    startingWith(prefix) {
      const fan = prefix.slice(0, 2)
      return namesInDirectory(join(directory, fan))
        .map(rest => `${fan}${rest}`)
        .filter(name => name.startsWith(prefix) && /^[0-9a-f]{40}$/.test(name))
    },
  }
}

/** Undefined if the file is gone: git has packed it. */
function readFile(path: string): Buffer | undefined {
  try {
    return readRegularNow(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw corrupt(path, 'cannot be read', error)
  }
}

function parseLoose(deflated: Buffer, oid: string, path: string): GitObject {
  const unfolded = unfold(deflated, path)
  if (unfolded === undefined) return { type: 'oversized', size: sizeSaid(deflated) }
  const [, type, size] = headerOf(unfolded)
  if (!isObjectType(type)) throw corrupt(path, 'is no git object')
  const content = unfolded.subarray(unfolded.indexOf(0) + 1)
  if (content.byteLength !== Number(size) || objectName(type, content) !== oid)
    throw corrupt(path, 'is damaged')
  return { type, content }
}

/** Returns how large the header of an object says that it is, or, if it says nothing, more than may be. */
function sizeSaid(deflated: Buffer): number {
  // However well the rest of it is packed, this is little.
  const beginning = inflateSync(deflated.subarray(0, 512), { finishFlush: constants.Z_SYNC_FLUSH })
  const [, , size] = headerOf(beginning)
  return Math.max(Number(size ?? 0), gitLimits.objectBytes + 1)
}

function headerOf(unfolded: Buffer): readonly (string | undefined)[] {
  return /^(commit|tree|blob|tag) (\d+)\0/.exec(unfolded.toString('latin1', 0, 32)) ?? []
}

/** Undefined if it is larger than the limit. */
function unfold(deflated: Buffer, path: string): Buffer | undefined {
  try {
    return inflateSync(deflated, { maxOutputLength: gitLimits.objectBytes + 32 })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') return undefined
    throw corrupt(path, 'is damaged', error)
  }
}

function isObjectType(text: string | undefined): text is ObjectType {
  return text === 'commit' || text === 'tree' || text === 'blob' || text === 'tag'
}
