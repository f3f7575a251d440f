import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { waitUntil } from '../time/wait-until.ts'
import { launcher, type Tallyman } from './tallyman.ts'

/** A command at a terminal: what it shows, and keys for it. */
export type Terminal = AsyncDisposable & {
  readonly ended: Promise<number | null>
  /** Everything shown so far, escape sequences included. */
  shown(): string
  /** Waits until this text is shown. */
  shows(text: string): Promise<void>
  type(keys: string): void
}

/** Runs a tallyman command on a pseudo terminal of its own, made by script(1). */
export function atTerminal(
  { directory, variables }: Pick<Tallyman, 'directory' | 'variables'>,
  ...args: readonly [string, ...string[]]
): Terminal {
  const words = [launcher(), ...args].map(word => `'${word}'`).join(' ')
  const line = `stty columns 120 rows 40; exec ${words}`
  const child = spawn('script', ['--quiet', '--flush', '--return', '--command', line, '/dev/null'], {
    cwd: directory,
    env: { ...variables, TERM: 'xterm', SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', part => {
    text += part
  })
  child.stdin.on('error', () => undefined)
  const ended = once(child, 'close').then(([code]): number | null => code)
  return {
    ended,
    shown: () => text,
    shows: async wanted => {
      await waitUntil(`the terminal shows ${JSON.stringify(wanted)}`, () => text.includes(wanted)).catch(
        (cause: unknown) => {
          throw new Error(`not shown: ${wanted}; but ${JSON.stringify(text)}`, { cause })
        },
      )
    },
    type: keys => {
      child.stdin.write(keys)
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
      await ended
    },
  }
}
