import { confirm } from '../../lib/cli/ask.ts'
import type { Ran, Tallyman } from '../support/command/tallyman.ts'

/** What the audience sees: headings, sentences, and commands with what they print. */
export type Stage = {
  heading(text: string): void
  say(text: string): void
  /** A command and its output, as on a terminal. */
  show(command: string, output: string): void
  /** Runs a tallyman command and shows both. */
  tallyman(...args: readonly string[]): Promise<Ran>
  /** Asks the person in front; answers yes where there is none, or with `--yes`. */
  agrees(question: string): Promise<boolean>
}

export type StageOptions = {
  readonly tallyman: Tallyman
  /** Whether nobody is to be asked. */
  readonly yes: boolean
  readonly signal: AbortSignal
}

export function createStage({ tallyman, yes, signal }: StageOptions): Stage {
  const write = (text: string) => {
    signal.throwIfAborted()
    process.stdout.write(text)
  }
  const show = (command: string, output: string) => {
    const shown = output.trimEnd()
    write(`\n  $ ${command}\n${indented(shown)}${shown === '' ? '' : '\n'}`)
  }
  let headings = 0
  return {
    heading(text) {
      headings += 1
      const line = `${headings}. ${text}`
      write(`\n${line}\n${'─'.repeat(line.length)}\n`)
    },
    say: text => write(`${text}\n`),
    show,
    async tallyman(...args) {
      signal.throwIfAborted()
      const ran = await tallyman.run(...args)
      show(`tallyman ${args.join(' ')}`, `${ran.stdout}${ran.stderr}`)
      return ran
    },
    async agrees(question) {
      signal.throwIfAborted()
      write('\n')
      if (!yes) return confirm({ colors: true }, `${question} Only "yes" is accepted:`, signal)
      write(`${question} yes\n`)
      return true
    },
  }
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, '  ')
}
