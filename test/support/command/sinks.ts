import type { Streams } from '../../../lib/cli/output/output.ts'

/** Streams that keep what is written to them. */
export function sinks({ isTTY = false }: { readonly isTTY?: boolean } = {}): {
  readonly streams: Streams
  readonly said: () => { readonly stdout: string; readonly stderr: string }
} {
  const said = { stdout: '', stderr: '' }
  const sink = (name: keyof typeof said) => ({
    isTTY,
    write: (text: string) => {
      said[name] += text
    },
  })
  return {
    streams: { stdin: { isTTY }, stdout: sink('stdout'), stderr: sink('stderr') },
    said: () => ({ ...said }),
  }
}
