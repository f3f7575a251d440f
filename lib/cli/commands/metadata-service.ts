import { directory as usualDirectory, port as usualPort } from '../../metadata/place.ts'
import { runMetadataService } from '../../metadata-server/run.ts'
import { exitCode } from '../exit.ts'
import type { Output } from '../output/output.ts'
import { stopSignal } from '../stop-signal.ts'

/** Answers the apps of pods until Ctrl-C or SIGTERM (C53). Returns the exit code. */
export async function metadataService(
  output: Output,
  { directory = usualDirectory, port }: { readonly directory?: string; readonly port?: string },
): Promise<number> {
  const { signal, release } = stopSignal()
  try {
    await runMetadataService(
      { directory, port: port === undefined ? usualPort : Number(port), note: words => output.note(words) },
      signal,
    )
  } finally {
    release()
  }
  return exitCode.done
}
