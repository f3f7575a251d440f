import { chownSync, statSync } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { Failure } from '../../errors.ts'
import { sleep } from '../../wait/timer.ts'

/** A file that is replaced under git's own lock. `like`: what tells whose it will be. `path`: the repository, for messages. */
export type Replacing = {
  readonly path: string
  readonly file: string
  readonly text: string
  readonly like: string
}

/**
 * Replaces a file of git under its lock, which becomes the file, unless `check` fails while nobody else may change it.
 * Whatever fails, a lock of ours is gone afterwards, and one of somebody else stays. Fails with `push-refused` if another
 * process holds it, as `check` does, and with the system's error.
 */
export async function replaceLocked(
  { path, file, text, like }: Replacing,
  check: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const lock = `${file}.lock`
  const taken = await takeLock(path, lock, signal)
  let isOurs = true
  try {
    await fillWhole(taken, lock, Buffer.from(text), like)
    await check()
    await rename(lock, file)
    // From here on, the name may be that of another process's lock.
    isOurs = false
  } finally {
    if (isOurs) await rm(lock, { force: true })
  }
}

/** The pauses before each try for the lock of a branch, which git holds for moments only. */
const pausesMs: readonly number[] = [0, 10, 20, 40, 80, 160]

async function takeLock(path: string, lock: string, signal: AbortSignal): Promise<FileHandle> {
  for (const pauseMs of pausesMs) {
    if (pauseMs > 0) await sleep(pauseMs, signal)
    try {
      return await open(lock, 'wx', 0o644)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    }
  }
  throw new Failure('push-refused', `${path}: another process holds ${lock}`, {
    hint: 'Wait until git is done there. If no git runs, a crash left the file behind: remove it.',
  })
}

/** Writes a file that was just made, closes it, and has it on the disk before it is used. */
export async function fillWhole(
  file: FileHandle,
  path: string,
  bytes: Uint8Array,
  like: string,
): Promise<void> {
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
  giveTo(path, like)
}

/** Only root may give something away, and everybody else writes what is their own. */
export function giveTo(path: string, like: string): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = statSync(like)
  chownSync(path, uid, gid)
}
