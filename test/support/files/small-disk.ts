import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** A disk of sixteen megabytes, for what happens when it is full. It is gone when it is disposed of. */
export type SmallDisk = Disposable & {
  /** Leaves no block free. */
  fill(): void
  makeRoom(): void
}

/** Mounts one at a directory, which is made; as root only. */
export function mountSmallDisk(directory: string): SmallDisk {
  mkdirSync(directory, { recursive: true })
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m,mode=0700', 'tmpfs', directory])
  const filler = join(directory, 'filler')
  return {
    fill() {
      const file = openSync(filler, 'w')
      const block = Buffer.alloc(statfsSync(directory).bsize)
      // Whoever writes beside us may take the last block first.
      while (statfsSync(directory).bavail > 0 && isWritten(file, block));
      closeSync(file)
    },
    makeRoom: () => rmSync(filler),
    [Symbol.dispose]: () => {
      execFileSync('umount', ['--lazy', directory])
    },
  }
}

function isWritten(file: number, block: Buffer): boolean {
  try {
    return writeSync(file, block) > 0
  } catch {
    return false
  }
}
