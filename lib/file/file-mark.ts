import { type BigIntStats, fstatSync, statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Failure } from '../errors.ts'

/** Which file a process works with, whatever has its name later. */
export type FileMark = { readonly file: string; readonly dev: bigint; readonly ino: bigint }

/** Returns the mark of a file that is open, or of what has that name now. Fails with the system's error. */
export function fileMarkOf(file: string, descriptor?: number): FileMark {
  const { dev, ino } =
    descriptor === undefined ? statSync(file, { bigint: true }) : fstatSync(descriptor, { bigint: true })
  return { file, dev, ino }
}

/**
 * Returns why a file is no longer in its place (`state-dir-gone`); undefined: it is. A place that cannot be looked at
 * says nothing about the file.
 */
export function whyGone(mark: FileMark): Failure | undefined {
  try {
    return compared(mark, statSync(mark.file, { bigint: true }))
  } catch (error) {
    return isMissing(error) ? compared(mark, undefined) : undefined
  }
}

/** Returns the same without keeping anybody waiting for a file system that answers slowly. Never rejects. */
export async function whyGoneSoon(mark: FileMark): Promise<Failure | undefined> {
  try {
    return compared(mark, await stat(mark.file, { bigint: true }))
  } catch (error) {
    return isMissing(error) ? compared(mark, undefined) : undefined
  }
}

function compared({ file, dev, ino }: FileMark, there: BigIntStats | undefined): Failure | undefined {
  if (there?.dev === dev && there.ino === ino) return undefined
  const how = there === undefined ? 'it was removed' : 'another file is in its place'
  return new Failure('state-dir-gone', `${file}: ${how} while tallyman works with it`)
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
}
