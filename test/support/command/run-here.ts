import { run } from '../../../lib/cli/program.ts'
import { sinks } from './sinks.ts'
import type { Ran } from './tallyman.ts'

/**
 * Runs one command line in this process, with this configuration file. A process of its own takes half a second of the
 * processor, which is several times what the command takes.
 */
export async function runHere(file: string, args: readonly string[]): Promise<Ran> {
  const { streams, said } = sinks()
  const code = await run(['node', 'tallyman', ...args, '--config', file], '0.0.0', streams)
  return { code, ...said() }
}
