import { type GitObject, type ObjectType, objectName } from '../../../lib/git/objects/object.ts'
import type { ReadObject } from '../../../lib/git/snapshot/commit-snapshot.ts'

/** An entry of a tree: its mode as git writes it, its name, and the object that it names. */
export type TreeLine = { readonly mode: string; readonly name: string | Buffer; readonly oid: string }

/** Objects of git in memory, whose trees may be such as git itself never writes. */
export function gitObjects() {
  const objects = new Map<string, GitObject>()
  const reads: string[] = []

  function add(type: ObjectType, content: Buffer): string {
    const oid = objectName(type, content)
    objects.set(oid, { type, content })
    return oid
  }

  const read: ReadObject = async oid => {
    reads.push(oid)
    const object = objects.get(oid)
    if (object === undefined) throw new Error(`no object ${oid}`)
    return object
  }

  return {
    /** What was read, in order. */
    reads,
    read,
    file: (text: string) => add('blob', Buffer.from(text)),
    /** Adds a tree with these entries, in this order. */
    tree: (lines: readonly TreeLine[]) => add('tree', Buffer.concat(lines.map(treeLine))),
    commit: (tree: string, message = 'Deploy', author = 'Ada <ada@example.com>') =>
      add(
        'commit',
        Buffer.from(
          `tree ${tree}\nauthor ${author} 1 +0000\ncommitter Ada <ada@example.com> 1 +0000\n\n${message}\n`,
        ),
      ),
  }
}

/** Returns the bytes of an entry. */
export function treeLine({ mode, name, oid }: TreeLine): Buffer {
  return Buffer.concat([
    Buffer.from(`${mode} `),
    Buffer.from(name),
    Buffer.from([0]),
    Buffer.from(oid, 'hex'),
  ])
}

export function directory(name: string | Buffer, oid: string): TreeLine {
  return { mode: '40000', name, oid }
}

export function file(name: string | Buffer, oid: string): TreeLine {
  return { mode: '100644', name, oid }
}
