import { fstatSync } from 'node:fs'
import { Failure } from '../../../errors.ts'
import { readRegularNow, withRegular } from '../../../file/read-regular.ts'
import { gitLimits } from '../../limits.ts'
import { corrupt, type Objects, objectName } from '../object.ts'
import type { ObjectMemory } from '../remember.ts'
import { readRange } from './file-range.ts'
import { parseIndex } from './pack-index.ts'
import { budgetOf, unfoldFrom } from './unfold.ts'

/**
 * Opens the objects of one pack, given by its index file. Each read opens the file of the pack, and checks the object
 * against its name. Opening and finding fail with `repository-corrupt`, and finding also with `repository-too-large`.
 */
export function openPack(indexPath: string, memory: ObjectMemory): Objects {
  const path = indexPath.replace(/\.idx$/, '.pack')
  const { bytes, checksum } = reading(path, () => withRegular(path, measure))
  const index = reading(indexPath, () => parseIndex(readRegularNow(indexPath), bytes, indexPath))
  if (index.packChecksum !== checksum) throw corrupt(path, 'does not end as its index says')
  const readAt = unfoldFrom({ where: path, endOf: index.endOf, find: index.find }, memory)
  return {
    find(oid) {
      const offset = index.find(oid)
      if (offset === undefined) return undefined
      const spend = budgetOf(gitLimits.chainBytes, path)
      const object = reading(path, () => withRegular(path, fd => readAt(fd, offset, spend)))
      if (object.type !== 'oversized' && objectName(object.type, object.content) !== oid)
        throw corrupt(path, `object ${oid} is damaged`)
      return object
    },
    startingWith: index.startingWith,
  }
}

function measure(fd: number): { bytes: number; checksum: string } {
  const { size } = fstatSync(fd)
  return { bytes: size, checksum: readRange(fd, Math.max(size - 20, 0), size).toString('hex') }
}

function reading<T>(path: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof Failure ? error : corrupt(path, 'cannot be read', error)
  }
}
