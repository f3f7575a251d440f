import { corrupt, type GitObject, isCorrupt, type Objects } from '../objects/object.ts'
import type { ReadObject } from '../snapshot/commit-snapshot.ts'

/**
 * Reads objects. If one is missing or damaged, heals the repository once and reads the object again (G19). If it is
 * still wrong then, the repository itself is damaged, and reading fails with `repository-corrupt`.
 */
export function readHealing(open: () => Objects | Promise<Objects>, heal: () => Promise<void>): ReadObject {
  let objects: Objects | undefined
  let healing: Promise<void> | undefined

  async function find(oid: string): Promise<GitObject> {
    objects ??= await open()
    const object = objects.find(oid)
    if (object === undefined) throw corrupt(`object ${oid}`, 'is missing')
    return object
  }

  async function healOnce(): Promise<void> {
    await heal()
    objects = undefined
  }

  return async oid => {
    try {
      return await find(oid)
    } catch (error) {
      if (!isCorrupt(error)) throw error
      healing ??= healOnce()
      await healing
      return find(oid)
    }
  }
}
