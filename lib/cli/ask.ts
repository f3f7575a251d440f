import type { Output } from './output/output.ts'
import { stopSignal } from './stop-signal.ts'

/** How a question looks on this output. */
type Looks = Pick<Output, 'colors'>

/** Asks one question of a command that nothing else interrupts. */
export async function confirmAlone(output: Looks, question: string): Promise<boolean> {
  const { signal, release } = stopSignal()
  try {
    return await confirm(output, question, signal)
  } finally {
    release()
  }
}

/** Asks on the terminal. Only the word "yes" means yes; Ctrl-C means no. */
export async function confirm({ colors }: Looks, question: string, signal: AbortSignal): Promise<boolean> {
  const { input } = await import('@inquirer/prompts')
  const asked = { message: question, ...(colors ? {} : { theme: plain }) }
  try {
    return (await input(asked, { signal, output: process.stderr })) === 'yes'
  } catch (error) {
    if (error instanceof Error && (error.name === 'ExitPromptError' || error.name === 'AbortPromptError'))
      return false
    throw error
  }
}

const asItIs = (text: string) => text

/** What a question without colors is made of. */
const plain = { prefix: '?', style: { message: asItIs, answer: asItIs } }
