import { basename } from 'node:path'
import { Failure, messageOf } from '../../errors.ts'
import { ignoredNames } from './scan-directory.ts'

/** Whether links are followed, which authors of manifests may have put there, and how many directories deep. */
export type Watching = { readonly followSymlinks: boolean; readonly depth?: number }

/**
 * Calls back after every change below a directory, until aborted. Also calls back once when it begins to watch, because
 * earlier changes may have been missed. Fails with `watch-failed`.
 */
export async function watchDirectory(
  root: string,
  onChange: () => void,
  signal: AbortSignal,
  how: Watching = { followSymlinks: false },
): Promise<void> {
  if (signal.aborted) return
  const { watch } = await import('chokidar')
  if (signal.aborted) return
  const watcher = watch(root, {
    ignoreInitial: true,
    ...how,
    ignored: path => path !== root && ignoredNames.includes(basename(path)),
  })
  try {
    await new Promise<void>((resolve, reject) => {
      signal.addEventListener('abort', () => resolve(), { once: true })
      watcher.on('all', () => onChange())
      watcher.on('ready', () => onChange())
      watcher.on('error', error => reject(translate(root, error)))
    })
  } finally {
    await watcher.close()
  }
}

function translate(root: string, error: unknown): Failure {
  const reason = messageOf(error)
  return new Failure('watch-failed', `${root}: ${reason}`, { cause: error })
}
